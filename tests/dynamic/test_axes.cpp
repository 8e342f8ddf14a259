// SPDX-License-Identifier: Apache-2.0
// Declarations of dynamic axes: how they are read, and how the sample settles their symbols.
#include <doctest/doctest.h>

#include "src/dynamic/axes.h"
#include "tests/ir/support.h"

namespace t2n::test {
namespace {

using dynamic::bind_axes;
using dynamic::parse_axis;
using dynamic::parse_comparison;
using ir::diagnostic_of;

const std::vector<std::string> kNames = {"x", "mask", "past_0_k"};
const std::vector<ir::Ints> kSamples = {{2, 10, 8}, {2, 17}, {2, 4, 7, 16}};

dynamic::DynamicInputs bind(const std::vector<std::string>& specs) {
  std::vector<dynamic::AxisSpec> axes;
  for (const std::string& spec : specs) axes.push_back(parse_axis(spec));
  return bind_axes(axes, kNames, kSamples);
}

std::string message(const std::vector<std::string>& specs) {
  return diagnostic_of([&] { bind(specs); }).message;
}

TEST_CASE("axes by name, by place and by number, from the front and from the back") {
  const dynamic::AxisSpec axis = parse_axis("past.0.k:-2 = 2*P + 1");
  CHECK_EQ(axis.input, "past.0.k");
  CHECK_EQ(axis.axis, -2);
  CHECK_EQ(axis.size.str(), "2*P + 1");

  const auto bound = bind({"x:0=B", "input_1:0=B", "past.0.k:-2=P", "x:1=S", "mask:-1=P + S"});
  CHECK_EQ(ir::shape_str(bound.shapes[0]), "[B,S,8]");
  CHECK_EQ(ir::shape_str(bound.shapes[1]), "[B,P + S]");
  CHECK_EQ(ir::shape_str(bound.shapes[2]), "[2,4,P,16]");
  CHECK_EQ(bound.sample, dynamic::Sizes{{"B", 2}, {"P", 7}, {"S", 10}});
}

TEST_CASE("a star stands for several inputs") {
  CHECK_EQ(ir::shape_str(bind({"pa*_k:2=P"}).shapes[2]), "[2,4,P,16]");
  const auto all = bind({"*:0=B"});
  for (const ir::Shape& shape : all.shapes) CHECK_EQ(shape[0].str(), "B");
  CHECK_EQ(message({"future.*:0=B"}), "--dynamic future.*:0=B: the model has no input 'future.*'");
}

TEST_CASE("a symbol inside an expression is solved for") {
  CHECK_EQ(bind({"x:1=2*S"}).sample, dynamic::Sizes{{"S", 5}});
  CHECK_EQ(bind({"x:1=S + 3"}).sample, dynamic::Sizes{{"S", 7}});
  // Whatever the order, each from an axis where it is the only unknown.
  CHECK_EQ(bind({"mask:1=P + S", "x:1=S"}).sample, dynamic::Sizes{{"P", 7}, {"S", 10}});
}

TEST_CASE("declarations that cannot be read") {
  const auto text = [](const std::string& spec) {
    return diagnostic_of([&] { parse_axis(spec); }).message;
  };
  CHECK_EQ(text("x=S"), "cannot read --dynamic 'x=S'");
  CHECK_EQ(text("x:a=S"), "cannot read the axis 'a' in 'x:a=S'");
  CHECK_EQ(text("x:1=S+"), "cannot read the size 'S+' in 'x:1=S+'");
  CHECK_EQ(text("x:1=4"), "--dynamic 'x:1=4' names no symbol");
  CHECK_EQ(text("x:1=a.b"), "in 'x:1=a.b' the symbol 'a.b' is not a name of letters and digits");
  CHECK_EQ(text("x:1=inf"), "in 'x:1=inf' the symbol 'inf' begins like an NNEF literal");
  CHECK_EQ(diagnostic_of([] { parse_comparison("S"); }).message, "cannot read --assert 'S'");
}

TEST_CASE("declarations that the inputs contradict") {
  CHECK_EQ(message({"y:0=B"}), "--dynamic y:0=B: the model has no input 'y'");
  CHECK_EQ(message({"x:3=S"}), "--dynamic x:3=S: 'x' has 3 axes");
  CHECK_EQ(message({"x:-4=S"}), "--dynamic x:-4=S: 'x' has 3 axes");
  CHECK_EQ(message({"x:1=4*S"}), "--dynamic x:1=4*S: the sample has the size 10 there");
  CHECK_EQ(message({"x:1=S*S"}), "--dynamic x:1=S*S: the sample cannot be solved for 'S'");
  CHECK_EQ(message({"x:1=S//2"}), "--dynamic x:1=S//2: the sample cannot be solved for 'S'");
  CHECK_EQ(message({"x:1=S", "mask:1=S"}), "--dynamic mask:1=S: the sample has the size 17 there");
  CHECK_EQ(message({"x:1=S", "x:1=T"}), "--dynamic x:1=T: this axis is S already");
  CHECK_EQ(message({"mask:1=P + S"}), "--dynamic mask:1=P + S: the sample does not determine 'P'");
}

TEST_CASE("relations hold or not") {
  const dynamic::Sizes sizes = {{"B", 4}, {"P", 2}};
  for (const char* text : {"B>=1", "B == 2*P", "P < B", "P <= 2", "3 < B", "B == 4*(B//4)"})
    CHECK_MESSAGE(ir::holds(parse_comparison(text), sizes), text);
  for (const char* text : {"B>4", "B == P", "P >= B"})
    CHECK_MESSAGE(!ir::holds(parse_comparison(text), sizes), text);
  CHECK_EQ(ir::str(parse_comparison("B==2*P")), "B == 2*P");
}

}  // namespace
}  // namespace t2n::test
