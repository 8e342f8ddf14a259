// SPDX-License-Identifier: Apache-2.0
// What a file says of sizes: comparisons in a form that engines read, or none.
#include <doctest/doctest.h>

#include "src/diag/error.h"
#include "src/dynamic/assumptions.h"
#include "src/dynamic/expressible.h"
#include "src/shapes/constraint_set.h"
#include "tests/ir/support.h"

namespace t2n::test {
namespace {

using dynamic::Sizes;

const Sizes kSample = {{"B", 5}, {"S", 12}, {"T", 40}};

ir::Comparison unequal(const std::string& left, const std::string& right) {
  return {ir::parse_dim(left), ir::Relation::ne, ir::parse_dim(right)};
}

std::string comparisons_text(const std::optional<std::vector<ir::Comparison>>& comparisons) {
  if (!comparisons) return "nothing";
  std::string out;
  for (const ir::Comparison& each : *comparisons) out += (out.empty() ? "" : ", ") + ir::str(each);
  return out;
}

std::string said(const ir::Comparison& comparison, const std::vector<std::string>& known = {}) {
  std::vector<ir::Comparison> all;
  for (const std::string& each : known) all.push_back(dynamic::parse_comparison(each));
  return comparisons_text(dynamic::expressible(comparison, {kSample}, all));
}
std::string said(const std::string& comparison, const std::vector<std::string>& known = {}) {
  return said(dynamic::parse_comparison(comparison), known);
}

TEST_CASE("bounds are solved for a symbol") {
  const auto plain = [](const std::string& text) {
    return ir::str(shapes::plain(dynamic::parse_comparison(text)));
  };
  CHECK_EQ(plain("S - 3 > 1"), "S >= 5");
  CHECK_EQ(plain("4 < S"), "S >= 5");
  CHECK_EQ(plain("3*S >= 13"), "S >= 5");
  CHECK_EQ(plain("3*S <= 13"), "S <= 4");
  CHECK_EQ(plain("(S + 1) // 2 >= 3"), "S >= 5");
  CHECK_EQ(plain("(S + 1) // 2 < 3"), "S <= 4");
  CHECK_EQ(plain("S == 2*T + 1"), "S == 2*T + 1");
}

TEST_CASE("comparisons that engines read are unchanged") {
  CHECK_EQ(said("S > 4"), "S > 4");
  CHECK_EQ(said("S <= 3*T"), "S <= 3*T");
  CHECK_EQ(said("B*S >= 3", {"S >= 1"}), "B >= 3");  // the product keeps tract 0.23 busy for ever
  CHECK_EQ(said("B*S >= 7", {"B >= 1"}), "S >= 7");  // B is 5 in the sample
  CHECK_EQ(said("S > 4", {"S >= 5"}), "");
  CHECK_EQ(said("S // B >= 2"), "nothing");
}

TEST_CASE("minima and maxima are what they are in the sample") {
  CHECK_EQ(said("min(S, 4) == 4"), "S >= 4");
  CHECK_EQ(said("max(S, 64) == 64"), "S <= 64");
}

TEST_CASE("bounds of minima and maxima are bounds of both operands") {
  CHECK_EQ(said("min(S, 7) >= 3"), "S >= 3");
  CHECK_EQ(said("min(S, T) >= 2"), "S >= 2, T >= 2");
  CHECK_EQ(said("max(S, 3) <= 99"), "S <= 99");
  CHECK_EQ(said(unequal("min(B, 7)", "1")), "B >= 2");
}

TEST_CASE("sizes that differ stay on the side of the sample") {
  CHECK_EQ(said(unequal("B", "1"), {"B >= 1"}), "B >= 2");
  CHECK_EQ(said(unequal("B", "3")), "B >= 4");
  CHECK_EQ(said(unequal("B", "30")), "B <= 29");
  CHECK_EQ(said(unequal("B % 2", "0")), "nothing");  // a remainder keeps tract 0.23 busy
  CHECK_EQ(said({ir::parse_dim("B - 2*((B + 2) // 3)"), ir::Relation::ge, 1}), "B >= 5");
  CHECK_EQ(said({ir::parse_dim("S - 3*((S // 2) // 2)"), ir::Relation::ge, 1}), "S >= 1");
  CHECK_EQ(said({ir::parse_dim("S - 5*(S // 4)"), ir::Relation::le, 0}), "S >= 12");
  CHECK_EQ(said({ir::parse_dim("S - (S + 1) // 2"), ir::Relation::ge, 1}), "S >= 2");
  CHECK_EQ(said(unequal("B", "T")), "nothing");
  CHECK_EQ(said(unequal("B", "T"), {"B <= T"}), "B <= T - 1");
}

TEST_CASE("a product is large where its factors are") {
  CHECK_EQ(said("B*T >= 2", {"B >= 1", "T >= 1"}), "B >= 2");
  CHECK_EQ(said("(S // 4)*(T // 2) >= 1"), "S >= 4, T >= 2");
  CHECK_EQ(said("B*((T + 1) // 2) - B >= 1", {"B >= 1"}), "T >= 3");
  CHECK_EQ(said("((T + 2) // 4)*B - B >= 0", {"B >= 1"}), "T >= 2");
  CHECK_EQ(said("6*B*T - 3*B >= 4", {"B >= 1", "T >= 1"}), "B >= 2");
  CHECK_EQ(said("B*T + S >= 40"), "nothing");
  CHECK_EQ(said("B*T >= 1000", {"B >= 1", "T >= 1"}), "nothing");
  CHECK_EQ(said("B*T <= 1000"), "nothing");
}

TEST_CASE("an axis that is declared dynamic has more than one size, unless the user asserts it") {
  const std::string size = cat("S == ", kSample.at("S"));
  dynamic::Assertions all({kSample}, {dynamic::parse_comparison("S >= 1")}, {});
  const Diagnostic refused = ir::diagnostic_of([&] {
    all.add({dynamic::parse_comparison(size), std::nullopt, "a branch", true});
  });
  CHECK_EQ(refused.id, "dynamic-assumption");
  CHECK_EQ(refused.message, cat("the exported model would require ", size));
  CHECK_EQ(refused.help, cat("compute the same for all sizes, or leave the axis out of --dynamic; "
                             "if this is intended, add --assert '",
                             size, "'"));
  dynamic::Assertions known({kSample}, {dynamic::parse_comparison(size)}, {});
  known.add({dynamic::parse_comparison(size), std::nullopt, "a branch", true});
  CHECK_EQ(comparisons_text(known.all()), size);
}

TEST_CASE("an assertion is made unless another implies it, and reported if a branch needs it") {
  std::vector<std::string> told;
  dynamic::Assertions all({kSample}, {dynamic::parse_comparison("S >= 1")},
                          [&](const Diagnostic& each) { told.push_back(each.message); });
  all.add({dynamic::parse_comparison("S >= 3"), std::nullopt, "a convolution"});
  all.add({dynamic::parse_comparison("2*S > 5"), std::nullopt, "a branch", true});
  all.add({dynamic::parse_comparison("S > 3"), std::nullopt, "a branch", true});
  all.add({dynamic::parse_comparison("S > 4"), std::nullopt, "a branch", true});
  CHECK_EQ(comparisons_text(all.all()), "S >= 1, S >= 3, S > 3, S > 4");
  const Diagnostic refused = ir::diagnostic_of([&] {
    all.add({unequal("B", "T"), std::nullopt, "a branch", true});
  });
  CHECK_EQ(refused.id, "dynamic-assumption");
  CHECK_EQ(refused.message, "the model requires B != T, which NNEF cannot express");
  CHECK(told.empty());
  all.finish();
  CHECK_EQ(comparisons_text(all.all()), "S >= 1, S > 4");
  CHECK_EQ(told, std::vector<std::string>{"the exported model requires S > 4"});
}

TEST_CASE("multiples name the declaration that would do") {
  const std::vector<dynamic::AxisSpec> axes = {dynamic::parse_axis("x:2=S")};
  const auto multiples = [](const char* text, const std::vector<dynamic::Comparison>& known = {}) {
    return dynamic::multiples_of({{dynamic::parse_comparison(text), std::nullopt, "why"}}, known);
  };
  const auto refusal = [&](const char* text) {
    return ir::diagnostic_of([&] { dynamic::refuse_multiples(multiples(text), axes); });
  };
  CHECK_EQ(refusal("2*((S + 1) // 2) == S").help,
           "declare the axis as a multiple: --dynamic x:2=2*S");
  CHECK_EQ(refusal("4*(S // 16) == S // 4").help,
           "declare the axis as a multiple: --dynamic x:2=16*S");
  dynamic::refuse_multiples(multiples("S == 5"), axes);
  dynamic::refuse_multiples(
      multiples("S == 2*(S // 2)", {dynamic::parse_comparison("2*(S // 2) == S")}), axes);
  const dynamic::Multiples of_four = multiples("S == 4*(S // 4)");
  CHECK(of_four.imply(dynamic::parse_comparison("S == 2*(S // 2)")));
  CHECK_FALSE(of_four.imply(dynamic::parse_comparison("S == 8*(S // 8)")));
  CHECK_FALSE(of_four.imply(dynamic::parse_comparison("S >= 8")));
}

}  // namespace
}  // namespace t2n::test
