// SPDX-License-Identifier: Apache-2.0
// At what rate an axis streams.
#include <doctest/doctest.h>

#include "ir/shape.h"
#include "src/nnef_ops/flow_call.h"

namespace t2n::nnef_ops {
namespace {

/// "up/down", or "none".
std::string rate(const std::string& size) {
  const auto found = rate_of(ir::parse_dim(size), "S");
  return found ? std::to_string(found->up) + "/" + std::to_string(found->down) : "none";
}

TEST_CASE("a rate is what a size grows by, whatever it is divided by") {
  CHECK_EQ(rate("S"), "1/1");
  CHECK_EQ(rate("3*S + 7"), "3/1");
  CHECK_EQ(rate("(S - 1) // 17 + 1"), "1/17");
  CHECK_EQ(rate("((S // 3) // 3) // 3"), "1/27");
  CHECK_EQ(rate("(2*(S // 3) + 1) // 5"), "2/15");
  CHECK_EQ(rate("S // 4 + S // 6"), "5/12");
  std::string halved = "S";
  for (int i = 0; i < 10; ++i) halved = "((" + halved + " - 2) // 2 + 1)";
  CHECK_EQ(rate(halved), "1/1024");
}

TEST_CASE("minima, maxima and remainders do not count in the long run") {
  CHECK_EQ(rate("max(S, 100)"), "1/1");
  CHECK_EQ(rate("S - S % 8"), "1/1");
  CHECK_EQ(rate("min(S, 100)"), "none");
}

TEST_CASE("sizes without a fixed rate") {
  CHECK_EQ(rate("S*S"), "none");
  CHECK_EQ(rate("S // T"), "none");
  CHECK_EQ(rate("S + T"), "none");
  CHECK_EQ(rate("10 - S"), "none");
  CHECK_EQ(rate("S // 1000003 // 1000003"), "none");  // beyond what is counted
}

}  // namespace
}  // namespace t2n::nnef_ops
