// SPDX-License-Identifier: Apache-2.0
// Tensors of which the engine may know the one number that they hold: their sizes are not
// forgotten.
#include <doctest/doctest.h>

#include "tests/support/dynamic.h"

namespace t2n::test::uniform_tests {
namespace {

TEST_CASE("products with zeros that the engine recognises") {
  check_open({"y * 0 * 3", "(y & 0) * 2", "(y & 0).sum(1) * 2", "(y & 0).float() * 2.5",
              "y * (y & 0) * 3", "(y * 0).float() @ x", "((y > 2) & False).to(3) * 5",
              "(y << 0) * 2 + (y & 0)", "torch.where((y & 0) == 0, y, y * 2)",
              "torch.floor_divide(y * 0, y + 1) * 3", "y * torch.tensor(x.size(1) * 0) * 2"},
             {kX, kIds}, kSizes);
}

TEST_CASE("products of full tensors and positions") {
  const std::string full = "torch.full([x.size(0)], y.size(1))";
  const std::string floats = "torch.full([x.size(0)], y.size(1), dtype=6)";
  check_open(
      {full + " * 0 * 2", "(" + full + " - y.size(1)) * 2",
       "(" + full + " - " + full + ").sum() + x", "(" + floats + " - " + floats + ") * 2",
       "torch.arange(y.size(1)) * 0 * 2", "(torch.arange(y.size(1)) - torch.arange(y.size(1))) * 2",
       "y * (torch.arange(y.size(1)) - torch.arange(y.size(1))) * 2",
       "(torch.arange(y.size(1))[:, None] - torch.arange(y.size(1))) * 2"},
      {kX, kIds}, kSizes);
}

TEST_CASE("numbers over sizes that the engine cannot express") {
  check_open(
      {"x * ((3 * y.size(1) + 2) // 4 - 5)", "y + (y.size(1) + (y.size(1) + 1) // 4 - 9)",
       "torch.arange((2 * y.size(1) + 2) // 3 - 4, (2 * y.size(1) + 2) // 3 - 1)",
       "y - (y.size(1) // x.size(0) - x.size(0))", "y * (y.size(1) % 3 - min(y.size(1), 4) // 3)"},
      {kX, kIds}, kSizes);
}

}  // namespace
}  // namespace t2n::test::uniform_tests
