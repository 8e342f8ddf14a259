// SPDX-License-Identifier: Apache-2.0
// Proofs about sizes: what must be found, and that nothing is ever proven wrongly.
#include <doctest/doctest.h>

#include "ir/prove.h"
#include "tests/ir/draw.h"
#include "tests/ir/support.h"

namespace t2n::ir {
namespace {

using Comparisons = std::vector<Comparison>;

Comparison comparison(const std::string& text) {
  for (const Relation relation :
       {Relation::le, Relation::ge, Relation::eq, Relation::ne, Relation::lt, Relation::gt}) {
    const size_t at = text.find(cat(" ", str(relation), " "));
    if (at == std::string::npos) continue;
    return {parse_dim(text.substr(0, at)), relation,
            parse_dim(text.substr(at + 2 + str(relation).size()))};
  }
  T2N_ASSERT(false, text, " is no comparison");
}

Verdict verdict(const std::string& text, const std::vector<std::string>& assumed = {}) {
  Comparisons assumptions;
  for (const std::string& each : assumed) assumptions.push_back(comparison(each));
  return prove(comparison(text), assumptions);
}

TEST_CASE("assertions that are too involved for an engine") {
  for (const char* simple : {"S >= 4", "S <= 3*T", "2*((3*S + 3) // 4) >= T", "(2*S) // 3 == T",
                             "(S + 1) // 2 >= (T + 1) // 2", "((S + 1) // 2 + 1) // 2 == T // 4"})
    CHECK_MESSAGE(!is_involved(comparison(simple)), simple);
  for (const char* involved : {"S*T >= 2", "S - 2*(S // 2) >= 1", "3*T + (T + 3) // 2 >= S",
                               "(2*S + 1) // 3 >= (T + 1) // 3", "(4*S) // 3 + (4*S + 1) // 3 >= 5",
                               "(S + S // 2) // 2 >= (T + 5) // 4"})
    CHECK_MESSAGE(is_involved(comparison(involved)), involved);
}

TEST_CASE("sizes are not negative") {
  CHECK(verdict("S >= 0") == Verdict::always);
  CHECK(verdict("S >= 1") == Verdict::unknown);
  CHECK(verdict("S < 0") == Verdict::never);
  CHECK(verdict("S*T + 2*B != 0", {"B >= 1"}) == Verdict::always);
  CHECK(verdict("S + 1 == S") == Verdict::never);
}

TEST_CASE("assumptions are linear relations of any kind") {
  CHECK(verdict("S <= T") == Verdict::unknown);
  CHECK(verdict("S <= T + 1", {"S <= T"}) == Verdict::always);
  CHECK(verdict("S < U", {"S <= T", "T < U"}) == Verdict::always);
  CHECK(verdict("S <= 65536", {"S <= 512"}) == Verdict::always);
  CHECK(verdict("S <= 65536") == Verdict::unknown);
  CHECK(verdict("S <= 3*T") == Verdict::unknown);
  CHECK(verdict("S == 3*T", {"S > 3*T"}) == Verdict::never);
  CHECK(verdict("S != 4", {"S >= 5"}) == Verdict::always);
  CHECK(verdict("T >= 1", {"S >= 1"}) == Verdict::unknown);
}

TEST_CASE("quotients and remainders are bounded") {
  CHECK(verdict("2*(S // 2) <= S") == Verdict::always);
  CHECK(verdict("(S + 2) // 3 <= S + 1") == Verdict::always);
  CHECK(verdict("S // 2 + (S + 1) // 2 == S") == Verdict::always);
  CHECK(verdict("S % 4 < 4") == Verdict::always);
  CHECK(verdict("S % 2 == 0", {"S == 2*(S // 2)"}) == Verdict::always);
  CHECK(verdict("S % 2 == 0", {"S == 2*(S // 2) + 1"}) == Verdict::never);
  CHECK(verdict("S == 4*(S // 4)") == Verdict::unknown);
  CHECK(verdict("S // T <= S", {"T >= 1"}) == Verdict::always);
  CHECK(verdict("S // T <= S") == Verdict::unknown);
  CHECK(verdict("S % T < T", {"T >= 1"}) == Verdict::always);
}

TEST_CASE("what a quotient leaves is a quotient, in products as well") {
  CHECK(verdict("4*B*W - 4*B*(W // 2) == 4*B*((W + 1) // 2)") == Verdict::always);
  CHECK(verdict("B*W - B*(W // 3) == B*((2*W + 2) // 3)") == Verdict::always);
}

TEST_CASE("minima and maxima are one of their operands") {
  CHECK(verdict("min(S, 4) <= 4") == Verdict::always);
  CHECK(verdict("min(S, 4) == 4", {"S >= 4"}) == Verdict::always);
  CHECK(verdict("min(S, 4) == 4", {"S <= 3"}) == Verdict::never);
  CHECK(verdict("min(S, 4) == 4") == Verdict::unknown);
  CHECK(verdict("min(S, T) + max(S, T) == S + T") == Verdict::always);
}

TEST_CASE("products keep the order of their factors") {
  CHECK(verdict("B*S >= S", {"B >= 1"}) == Verdict::always);
  CHECK(verdict("B*S <= B*T", {"S <= T"}) == Verdict::always);
  CHECK(verdict("B*S <= 8*S", {"B <= 8"}) == Verdict::always);
  CHECK(verdict("B*S >= 4", {"B >= 2", "S >= 2"}) == Verdict::always);
  CHECK(verdict("B*S >= S") == Verdict::unknown);
}

TEST_CASE("products of bounds are bounds") {
  CHECK(verdict("S*T + 2 >= 2*T + S", {"S >= 2", "T >= 1"}) == Verdict::always);
  CHECK(verdict("3*S*T + 6 >= 6*T + 3*S", {"S >= 2", "T >= 1"}) == Verdict::always);
  CHECK(verdict("S*T + 2 >= 2*T + S", {"S >= 2"}) == Verdict::unknown);
  CHECK(verdict("((T + 3) // 4)*B + 1 >= (T + 3) // 4 + B", {"T >= 1", "B >= 1"}) ==
        Verdict::always);
  CHECK(verdict("(T // 4)*B + 1 >= T // 4 + B", {"T >= 3", "B >= 1"}) == Verdict::unknown);
}

TEST_CASE("numbers that do not fit prove nothing") {
  CHECK(verdict("9223372036854775807*S - T > 0", {"9223372036854775807*S > T"}) == Verdict::always);
  CHECK(verdict("9223372036854775807*S >= -S") == Verdict::unknown);
}

TEST_CASE("proofs of nested remainders end, and have a budget together") {
  const std::string rows = "(H + H % 2)", columns = "(T % 3 + (H + H % 2) % 3 + 3)";
  const std::string size = "B*T*" + rows + "*" + columns;
  const Comparisons known = {comparison("B >= 1"), comparison("T >= 1"), comparison("H >= 1")};
  CHECK(prove(comparison(size + " >= " + columns), known) == Verdict::unknown);
  const ProofBudget budget(1000);
  CHECK(prove(comparison(size + " >= 0"), known) == Verdict::always);
  CHECK(prove(comparison(size + " >= 0"), known) == Verdict::always);  // the answer is kept
  try {
    (void)prove(comparison("B*T*H >= T"), known);
    FAIL("the budget is spent");
  } catch (const Error& error) {
    CHECK_EQ(error.diagnostic().id, "dynamic-size");
    CHECK_EQ(error.diagnostic().why, "whether B*H*T >= T was not decided");
  }
  const ProofBudget another;
  CHECK(prove(comparison("B*T*H >= T"), known) == Verdict::always);
}

const std::vector<std::string> kSymbols = {"B", "S", "T"};

Comparison drawn_comparison(int depth) {
  return {test::drawn_dim(depth, kSymbols), static_cast<Relation>(*rc::gen::inRange(0, 6)),
          test::drawn_dim(depth, kSymbols)};
}

bool holds_at(const Comparison& c, const Sizes& sizes) {
  return holds(c.left.substitute(sizes).value(), c.relation, c.right.substitute(sizes).value());
}

/// Whether it is true and whether it is false for some small sizes that satisfy the assumptions.
std::pair<bool, bool> enumerated(const Comparison& asked, const Comparisons& assumptions) {
  constexpr int64_t kMost = 9;
  std::pair<bool, bool> out;
  Sizes at;
  for (at["B"] = 0; at["B"] <= kMost; ++at["B"])
    for (at["S"] = 0; at["S"] <= kMost; ++at["S"])
      for (at["T"] = 0; at["T"] <= kMost; ++at["T"]) {
        const auto is_true = [&](const Comparison& each) { return holds_at(each, at); };
        if (!std::all_of(assumptions.begin(), assumptions.end(), is_true)) continue;
        (is_true(asked) ? out.first : out.second) = true;
      }
  return out;
}

TEST_CASE("no proof is contradicted by any sizes") {
  int proofs = 0;
  const bool passed = rc::check([&] {
    Comparisons assumptions;
    const int count = *rc::gen::inRange(0, 4);
    for (int i = 0; i < count; ++i) assumptions.push_back(drawn_comparison(i % 2));
    const Comparison asked = drawn_comparison(2);
    const auto [true_somewhere, false_somewhere] = enumerated(asked, assumptions);
    const Verdict found = prove(asked, assumptions);
    proofs += found == Verdict::unknown ? 0 : 1;
    RC_ASSERT(!(found == Verdict::always && false_somewhere));
    RC_ASSERT(!(found == Verdict::never && true_somewhere));
  });
  CHECK(passed);
  CHECK(proofs > 20);
}

}  // namespace
}  // namespace t2n::ir
