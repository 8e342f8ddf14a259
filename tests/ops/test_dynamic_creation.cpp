// SPDX-License-Identifier: Apache-2.0
// Sizes that stay open: tensors made from sizes.
#include <doctest/doctest.h>

#include "tests/support/dynamic.h"

namespace t2n::test::dynamic_creation_tests {
namespace {

TEST_CASE("ranges over a size") {
  check_open(
      {
          "torch.arange(x.size(1))",
          "torch.arange(x.size(1)) + 1",
          "torch.arange(x.size(1), dtype=6)",
          "torch.arange(2, x.size(1) + 2)",
          "torch.arange(x.size(0), x.size(1) + x.size(0), dtype=3)",
          "torch.arange(0, 2 * x.size(1), 2)",
          "torch.arange(x.size(1) - 1, -1, -1)",
          "torch.arange(0., x.size(1), 0.5)",
          "torch.arange(0.5, x.size(1))",
          "torch.arange(0., x.size(1), 0.1)",
          "torch.arange(0., x.size(1), 0.3)",
          "torch.arange(0., 17 * x.size(1), 0.17)",
          "torch.arange(x.size(1)).view(1, -1).expand(x.size(0), -1)",
          "x + torch.arange(x.size(1)).unsqueeze(-1)",
      },
      {kX}, kSizes);
}

TEST_CASE("triangles of open squares") {
  check_open(
      {
          "torch.triu_indices(x.size(1), x.size(1))",
          "torch.tril_indices(x.size(1), x.size(1))",
          "torch.triu_indices(x.size(1), x.size(1), 1)",
          "torch.tril_indices(x.size(1), x.size(1), -1, dtype=3)",
          "torch.triu_indices(60 * x.size(1), 60 * x.size(1))",
      },
      {kX}, kSizes);
}

TEST_CASE("lists that contain sizes") {
  check_open(
      {
          "torch.tensor([x.size(1), x.size(0), 2])",
          "torch.tensor([x.size(1), 3], dtype=6) * x.sum()",
          "torch.tensor([x.size(0)]) + x.int()",
          "torch.as_tensor([x.size(0), 3 * x.size(1)], dtype=3)",
          "torch.tensor([float(x.size(0)), x.size(1) * 0.5, 0.25])",
          "x[[0, x.size(0) - 1]]",
      },
      {kX}, kSizes);
}

TEST_CASE("constants of open shapes") {
  check_open(
      {
          "torch.zeros([x.size(0), x.size(1)])",
          "torch.ones([x.size(1), 2], dtype=4)",
          "torch.full([x.size(1)], 2.5)",
          "torch.full([x.size(1)], 7)",
          "torch.full([2], x.size(1))",
          "torch.full([2], x.size(1), dtype=6)",
          "torch.zeros_like(x)",
          "torch.ones_like(x, dtype=11)",
          "torch.full_like(x, 3)",
          "torch.full_like(x, x.size(1))",
          "x.new_zeros([x.size(0), 2])",
          "x.new_full([x.size(0)], 4)",
          "x.new_ones([x.size(1), x.size(1)])",
          "torch.eye(x.size(1))",
          "torch.eye(x.size(1), 3)",
          "torch.eye(4, x.size(1), dtype=4)",
          "torch.tril(torch.ones([x.size(1), x.size(1)]))",
          "torch.triu(torch.ones([x.size(1), x.size(1)]), 1)",
          "torch.triu(torch.full([x.size(1), x.size(1)], float('-inf')), 1)",
          "torch.tril(x, -1)",
          "torch.tril(torch.ones([x.size(1), x.size(1)], dtype=11))",
          "torch.linspace(0, 1, 5) * x.size(1)",
          "x / x.size(1)",
          "x * x.size(1) + x.size(0)",
          "torch.scalar_tensor(x.size(1), dtype=4)",
          "torch.linspace(0., 2., x.size(1))",
          "torch.logspace(0., 1., x.size(1))",
          "torch.one_hot(torch.arange(x.size(1)), x.size(1))",
          "torch.one_hot(torch.arange(x.size(1)), x.size(1) + 2)",
          "torch._shape_as_tensor(x)",
          "torch.tril(torch.ones([x.size(1), x.size(1) + 2]), 2)",
          "torch.triu(x, 2 - x.size(1))",
          "torch.empty([x.size(1), 2]) * 0",
          "torch.zeros([x.size(1) // 2 + 1, x.size(0) * x.size(1)])",
          "torch.ones([x.size(1) % 4 + 1])",
          "torch.ones([min(x.size(1), 4), max(x.size(0), 2)])",
      },
      {kX}, kSizes);
}

}  // namespace
}  // namespace t2n::test::dynamic_creation_tests
