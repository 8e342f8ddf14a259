// SPDX-License-Identifier: Apache-2.0
// The exact text of every kind of expression, statement and declaration.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <locale>

#include "nnef_writer/print.h"
#include "nnef_writer/quant.h"
#include "src/diag/error.h"

namespace t2n::nnef {
namespace {

Value f64(double number) {
  Value out = scalar(number);
  out.is_f64 = true;
  return out;
}

Value node(Kind kind, std::string text, Values items) {
  Value out;
  out.kind = kind;
  out.text = std::move(text);
  out.items = std::move(items);
  return out;
}

Value binary(const std::string& sign, Value left, Value right) {
  return node(Kind::binary, sign, {std::move(left), std::move(right)});
}

const Value kX = identifier("x");
const Value kY = identifier("y");

TEST_CASE("scalars are the shortest decimals that read back as the same f32") {
  CHECK(print(scalar(1)) == "1.0");
  CHECK(print(scalar(-0.0)) == "-0.0");
  CHECK(print(scalar(0.1)) == "0.1");
  CHECK(print(scalar(static_cast<double>(0.1F))) == "0.1");
  CHECK(print(scalar(1e-5)) == "1e-5");
  CHECK(print(scalar(1e20)) == "1e20");
  CHECK(print(scalar(1.5e-20)) == "1.5e-20");
  CHECK(print(scalar(16777216)) == "16777216.0");
  CHECK(print(scalar(0.70710678118654752)) == "0.70710677");
  CHECK(print(scalar(1.4e-45)) == "1e-45");
  CHECK(print(scalar(INFINITY)) == "inf");
  CHECK(print(scalar(-INFINITY)) == "-inf");
  CHECK(print(scalar(1e39)) == "inf");
}

TEST_CASE("f64 keeps its precision") {
  CHECK(print(f64(0.1)) == "0.1");
  CHECK(print(f64(static_cast<double>(0.1F))) == "0.10000000149011612");
  CHECK(print(f64(1e39)) == "1e39");
  CHECK(print(f64(1e-300)) == "1e-300");
  CHECK(print(f64(-INFINITY)) == "-inf");
}

TEST_CASE("NaN is never written") { CHECK_THROWS_AS(print(scalar(NAN)), Error); }

TEST_CASE("other literals") {
  CHECK(print(integer(-3)) == "-3");
  CHECK(print(integer(std::numeric_limits<int64_t>::min())) == "-9223372036854775808");
  CHECK(print(logical(true)) == "true");
  CHECK(print(logical(false)) == "false");
  CHECK(print(string("same")) == "'same'");
  CHECK(print(string("it's \"a\\b\"")) == "'it\\'s \\\"a\\\\b\\\"'");
  CHECK(print(string("{{x}} {% {#")) == "'{\\{x}} {\\% {\\#'");
  CHECK(print(array({})) == "[]");
  CHECK(print(array({integer(1), tuple({integer(0), integer(1)})})) == "[1, (0, 1)]");
  CHECK(print(dimension(ir::parse_dim("2*S + 1"))) == "2*S + 1");
  CHECK_THROWS_AS(print(tuple({integer(1)})), Error);
}

TEST_CASE("identifiers that are no plain words are written as tract reads them") {
  CHECK(print(identifier("a_1")) == "a_1");
  CHECK(print(identifier("a.b")) == "i\"a.b\"");
  CHECK(print(identifier("a\"b")) == "i\"a\\\"b\"");
  CHECK(print_identifier("1a") == "i\"1a\"");
}

TEST_CASE("invocations") {
  CHECK(
      print(invocation("external", {{"shape", array({integer(1), dimension(ir::parse_dim("S"))})}},
                       "scalar")) == "external<scalar>(shape = [1, S])");
  CHECK(print(invocation("conv", {{"", kX}, {"", kY}, {"border", string("constant")}})) ==
        "conv(x, y, border = 'constant')");
}

TEST_CASE("parentheses where a reader would group otherwise") {
  CHECK(print(binary("+", binary("*", kX, kY), integer(1))) == "x*y + 1");
  CHECK(print(binary("*", binary("+", kX, kY), integer(2))) == "(x + y)*2");
  CHECK(print(binary("-", kX, binary("-", kY, integer(1)))) == "x - (y - 1)");
  CHECK(print(binary("-", binary("-", kX, kY), integer(1))) == "x - y - 1");
  CHECK(print(binary("^", kX, binary("/", kX, kY))) == "x^(x/y)");
  CHECK(print(binary("&&", binary("<", kX, kY), kY)) == "x < y && y");
  CHECK(print(binary("*", dimension(ir::parse_dim("S + 1")), kX)) == "(S + 1)*x");
}

TEST_CASE("a minus inside an operation stands in parentheses: readers differ in its precedence") {
  CHECK(print(binary("+", node(Kind::unary, "-", {kX}), integer(1))) == "(-x) + 1");
  CHECK(print(binary("-", kX, scalar(-1))) == "x - (-1.0)");
  CHECK(print(binary("*", integer(-1), kX)) == "(-1)*x");
  CHECK(print(node(Kind::unary, "-", {binary("+", kX, kY)})) == "-(x + y)");
  CHECK(print(node(Kind::unary, "!", {kX})) == "!x");
}

TEST_CASE("conditions, subscripts and comprehensions") {
  const Value zero = integer(0);
  CHECK(print(node(Kind::if_else, "", {binary("<", kX, zero), zero, kX})) == "0 if x < 0 else x");
  CHECK(print(node(Kind::if_else, "", {kX, zero, node(Kind::if_else, "", {kX, kY, zero})})) ==
        "0 if x else (y if x else 0)");
  CHECK(print(node(Kind::subscript, "", {kX, zero})) == "x[0]");
  CHECK(print(node(Kind::subscript, "", {kX, {}, integer(2)})) == "x[:2]");
  CHECK(print(node(Kind::subscript, "", {node(Kind::subscript, "", {kX, zero}), zero})) ==
        "(x[0])[0]");
  CHECK(print(node(Kind::subscript, "", {binary("+", kX, kY), zero, {}})) == "(x + y)[0:]");
  Value loops = node(Kind::comprehension, "", {binary("*", identifier("i"), kY)});
  loops.loops = {{"i", kX}, {"j", array({zero})}};
  CHECK(print(loops) == "[for i in x, j in [0] yield i*y]");
  loops.condition = {binary(">", identifier("i"), zero)};
  CHECK(print(loops) == "[for i in x, j in [0] if i > 0 yield i*y]");
}

Document printed_example() {
  Document out;
  out.extensions = {"tract_registry tract_core"};
  out.symbols = {"S"};
  out.assertions = {{"", {ir::parse_dim("2*S"), ir::Relation::le, 8}},
                    {"short", {ir::parse_dim("S // 2"), ir::Relation::eq, 1}}};
  Fragment twice;
  twice.name = "twice";
  twice.generic = "? = scalar";
  twice.parameters = {{"x", "tensor<?>", {}}, {"times", "scalar", scalar(2)}};
  twice.results = {{"y", "tensor<?>", {}}};
  twice.body = {{kY, binary("*", kX, identifier("times")), ""}};
  out.fragments = {twice};
  out.graph.parameters = {"x"};
  out.graph.results = {"y", "z"};
  out.graph.body = {
      {kX,
       invocation("external", {{"shape", array({integer(1), dimension(ir::parse_dim("S"))})}},
                  "scalar"),
       ""},
      {tuple({kY, identifier("z")}), invocation("split", {{"", kX}}), "model.py:88"}};
  return out;
}

TEST_CASE("a document") {
  CHECK(print(printed_example()) == R"(version 1.0;

extension tract_registry tract_core;
extension tract_symbol S;
extension tract_assert 2*S <= 8;
extension tract_assert short: ((S)/2) == 1;

fragment twice<? = scalar>(x: tensor<?>, times: scalar = 2.0) -> (y: tensor<?>)
{
    y = x*times;
}

graph network(x) -> (y, z)
{
    x = external<scalar>(shape = [1, S]);
    (y, z) = split(x);  # model.py:88
}
)");
}

TEST_CASE("a strict document has neither extensions nor fragments") {
  Document document = printed_example();
  document.extensions.clear();
  document.symbols.clear();
  document.assertions.clear();
  document.fragments.clear();
  CHECK(print(document).starts_with("version 1.0;\n\ngraph network(x)"));
}

TEST_CASE("a fragment without a body is a declaration") {
  Fragment fragment;
  fragment.name = "f";
  fragment.parameters = {{"axes", "integer[]", array({})}};
  fragment.results = {{"y", "tensor<scalar>", {}}};
  CHECK(print(fragment) == "fragment f(axes: integer[] = []) -> (y: tensor<scalar>);\n");
}

TEST_CASE("text that would break a line is refused or escaped") {
  Document document = printed_example();
  document.graph.body[0].comment = "two\nlines {{x}}";
  CHECK(print(document).find("# two lines { {x}}\n") != std::string::npos);
  document.extensions = {"a; b"};
  CHECK_THROWS_AS(print(document), Error);
}

TEST_CASE("the text does not depend on the locale") {
  struct Commas : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
  };
  const std::locale before = std::locale::global(std::locale(std::locale::classic(), new Commas));
  const std::string text = print(array({integer(1234567), scalar(1234567.5), f64(0.5)}));
  std::locale::global(before);
  CHECK(text == "[1234567, 1234567.5, 0.5]");
}

TEST_CASE("graph.quant") {
  const Value entry = invocation("zero_point_linear_quantize", {{"zero_point", integer(10)},
                                                                {"scale", scalar(0.5)},
                                                                {"bits", integer(8)},
                                                                {"signed", logical(false)}});
  const std::string text =
      ": zero_point_linear_quantize(zero_point = 10, scale = 0.5, bits = 8, signed = false);\n";
  CHECK(print_quant({}) == "");
  CHECK(print_quant({{"w", entry}, {"a.b", entry}}) == "\"w\"" + text + "i\"a.b\"" + text);
  CHECK_THROWS_AS(print_quant({{"w", invocation("f", {{"", integer(1)}})}}), Error);
  CHECK_THROWS_AS(print_quant({{"w", integer(1)}}), Error);
}

}  // namespace
}  // namespace t2n::nnef
