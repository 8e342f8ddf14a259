// Sizes that no rule knows: the expression is found on some trials and proven on others.
#include "src/diag/error.h"
#include "src/dynamic/fit.h"
#include "tests/dynamic/support.h"

namespace t2n::test {
namespace {

using dynamic::Sizes;

/// What is found for a size that follows `truth` at five points.
std::string found(const std::string& truth, size_t points = 6) {
  static const std::vector<Sizes> at = {{{"B", 2}, {"S", 6}},  {{"B", 3}, {"S", 9}},
                                        {{"B", 5}, {"S", 7}},  {{"B", 4}, {"S", 16}},
                                        {{"B", 7}, {"S", 13}}, {{"B", 6}, {"S", 8}}};
  std::vector<dynamic::Observation> seen;
  for (size_t i = 0; i < points; ++i)
    seen.push_back({&at[i], dynamic::evaluate(ir::parse_dim(truth), at[i])});
  const auto fit = dynamic::fit_size(seen);
  return !fit ? "none" : fit->size.str() + (fit->is_proven ? "" : " ?");
}

TEST_CASE("expressions are found again") {
  for (const std::string truth :
       {"7", "0", "S", "3*S - 2", "B*S", "2*B*S + 1", "B + S", "S*S", "3*B + 2*S - 1"}) {
    CAPTURE(truth);
    CHECK_EQ(found(truth), truth);
  }
}

TEST_CASE("strides divide") {
  CHECK_EQ(found("(S + 1) // 2"), "((S + 1) // (2))");
  CHECK_EQ(found("S // 2 + 3"), ir::parse_dim("S // 2 + 3").str());
  CHECK_EQ(found("(3*S + 1) // 2"), ir::parse_dim("(3*S + 1) // 2").str());
}

TEST_CASE("a fit is proven by two observations more than it has unknowns") {
  CHECK_EQ(found("7", 2), "7 ?");
  CHECK_EQ(found("7", 3), "7");
  CHECK_EQ(found("2*S", 3), "2*S ?");
  CHECK_EQ(found("2*S", 4), "2*S");
}

TEST_CASE("what follows no expression is told") {
  CHECK_EQ(found("max(S, 8)"), "none");
  CHECK_EQ(found("S % 5"), "none");
}

}  // namespace
}  // namespace t2n::test
