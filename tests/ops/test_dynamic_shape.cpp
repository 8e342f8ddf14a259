// SPDX-License-Identifier: Apache-2.0
// Sizes that stay open: views, broadcasts and parts of tensors.
#include <doctest/doctest.h>

#include "tests/support/dynamic.h"

namespace t2n::test::dynamic_shape_tests {
namespace {

TEST_CASE("reshapes") {
  check_open(
      {
          "x.view(x.size(0), -1)",
          "x.view(-1, 4)",
          "x.view(-1)",
          "x.view(x.size(0) * x.size(1), 2, 2)",
          "x.reshape(x.size(0), x.size(1), 2, 2)",
          "x.view(x.size(0), x.size(1), 2, 2).transpose(1, 2)",
          "x.view(x.size(0), x.size(1), 2, 2).transpose(1, 2).reshape(x.size(0) * 2, x.size(1), 2)",
          "x.transpose(1, 2).reshape(x.size(0), -1)",
          "x.transpose(1, 2).reshape(x.size(0), -1).view(x.size(0), 4, -1)",
          "x.flatten()",
          "x.flatten(1)",
          "x.flatten(0, 1)",
          "x.unflatten(2, [2, 2])",
          "x.flatten(0, 1).unflatten(0, [x.size(0), x.size(1)])",
          "x.unsqueeze(1)",
          "x.unsqueeze(-1).squeeze(-1)",
          "x.permute(2, 0, 1)",
          "x.movedim(0, 2)",
          "torch.t(x.flatten(0, 1))",
          "x.view_as(x)",
          "x.transpose(0, 1)",
      },
      {kX}, kSizes);
}

TEST_CASE("reshapes after entries were removed or added") {
  check_open(
      {
          "x[:, 1:].reshape(-1)",
          "x[:, 1:].reshape(-1, 4)",
          "x[:, 1:].reshape(x.size(0), -1)",
          "torch.cat([x, x], 1).reshape(-1, 4)",
          "torch.cat([x, x], 1).reshape(x.size(0), 2, x.size(1), 4)",
          "torch.cat([x, x[:, :1]], 1).flatten(1)",
          "x[:, :-1].transpose(1, 2).reshape(x.size(0), -1)",
      },
      {kX}, kLong);
}

TEST_CASE("multiples are split") {
  const OpenInput wide{{"B", "4*K"}};
  check_open(
      {
          "x.view(x.size(0), 4, -1)",
          "x.view(x.size(0), -1, 4)",
          "x.view(x.size(0), 2, -1).transpose(1, 2).reshape(x.size(0), -1)",
          "torch.stack(x.chunk(2, 1))",
          "x.view(-1, 2)",
      },
      {wide}, {{{"B", 2}, {"K", 3}}, {{"B", 1}, {"K", 1}}, {{"B", 3}, {"K", 5}}});
}

TEST_CASE("broadcasts and repetitions") {
  check_open(
      {
          "x[:, :1].expand(-1, x.size(1), -1)",
          "x[:, :1].expand_as(x)",
          "x.unsqueeze(0).expand(3, -1, -1, -1)",
          "x.repeat(1, 2, 1)",
          "x.repeat(x.size(1), 1, 1)",
          "x.repeat(2, 1, x.size(0), 1)",
          "x.tile([2])",
          "x.repeat_interleave(2, 1)",
          "x.repeat_interleave(2)",
          "x.repeat_interleave(x.size(0), 1)",
          "x.repeat_interleave(torch.tensor(x.size(2)), 1)",
          "x.repeat_interleave(torch.tensor([3]), 0)",
          "x.repeat_interleave(torch.tensor(2))",
          "torch.meshgrid([torch.arange(x.size(0)), torch.arange(x.size(1))])[1]",
      },
      {kX}, kSizes);
}

TEST_CASE("entries and slices") {
  check_open(
      {
          "x[:, 0]",
          "x[:, -1]",
          "x[-1]",
          "x.select(1, -1)",
          "x[:, x.size(1) - 1]",
          "x[:, x.size(1) // 2]",
          "x[:, :1]",
          "x[:, -1:]",
          "x[:, :x.size(1)]",
          "x[:, x.size(1) // 2:]",
          "x[:, :(x.size(1) + 1) // 2]",
          "x[:, :, :2]",
          "x[..., -2:]",
          "x.narrow(1, 0, x.size(1))",
          "x.narrow(1, x.size(1) - 1, 1)",
          "x.narrow(1, -1, 1)",
          "x[:, :4]",
          "x[:, -4:]",
          "x.flip(1)",
          "x.flip([0, 1])",
          "x.flip([1, 2])",
          "torch.fliplr(x)",
          "x.unbind(2)[1]",
          "x[:, ::2]",
          "x.transpose(1, 2)[:, :, ::2]",
      },
      {kX}, kSizes);
}

TEST_CASE("slices that need a minimum length") {
  check_open(
      {
          "x[:, 1:]",
          "x[:, :-1]",
          "x[:, 1:-1]",
          "x[:, -3:-1]",
          "x[:, -3:]",
          "x[:, 1:3]",
          "x[:, 1] - x[:, -2]",
          "x[:, 1:] - x[:, :-1]",
          "x[:, 1::2]",
          "x[:, 0:4:2]",
          "x[:, ::3]",
          "x[:, :-1:2]",
          "x[:, -4::2]",
          "x[:, 2:x.size(1) - 1]",
          "x[:, x.size(1) - 3:x.size(1) - 1]",
          "x.narrow(1, 1, x.size(1) - 2)",
          "x.narrow(1, x.size(1) - 2, 2)",
          "x.roll(1, 1)",
          "x.roll(-2, 1)",
          "x.roll([1, 1], [1, 2])",
          "x.roll(3)",
          "x.roll(x.size(1) // 2, 1)",
          "x.roll(0, 1)",
          "x.roll(x.size(1), 1)",
          "x[:, x.size(1) // 2:].reshape(x.size(0), -1)",
          "torch.cat([x[:, x.size(1) // 2:], x[:, :x.size(1) // 2]], 1) + x",
          "x[:, :x.size(1) - x.size(1) // 2]",
          "x.chunk(2, 1)[1]",
          "x.diff(dim=1)",
          "x.diff(2, 1)",
          "x.flatten(0, 1).diff(dim=0)",
          "x.rot90(1, [1, 2])",
          "torch.cat([x[:, 1:], x[:, :1]], 1)",
          "x.split([1, x.size(1) - 1], 1)[1]",
          "x.split([x.size(1) - 2, 2], 1)[0]",
          "x.tensor_split([1, 3], 1)[2]",
          "x.tensor_split([-1], 1)[0]",
      },
      {kX}, kLong);
}

TEST_CASE("even sizes split into halves") {
  const OpenInput even{{"B", "2*S", "4"}};
  check_open(
      {
          "x.chunk(2, 1)[0] * x.chunk(2, 1)[1]",
          "x.split(x.size(1) // 2, 1)[1]",
          "x[:, ::2] + x[:, 1::2]",
          "x[:, :x.size(1) // 2]",
          "x.view(x.size(0), -1, 2, 4)",
          "torch.cat([x[:, x.size(1) // 2:], x[:, :x.size(1) // 2]], 1)",
          "x.roll(x.size(1) // 2, 1)",
      },
      {even}, kSizes);
}

TEST_CASE("joins") {
  check_open(
      {
          "torch.cat([x, x], 1)",
          "torch.cat([x, y], 1)",
          "torch.cat([x, y], 1)[:, -1]",
          "torch.cat([x, y], 1)[:, x.size(1):]",
          "torch.cat([x, y], 1)[:, -y.size(1):] + y",
          "torch.cat([x, y], 1)[:, :x.size(1)] + x",
          "torch.cat([x, torch.zeros([x.size(0), 1, 4])], 1)",
          "torch.cat([torch.zeros([x.size(0), x.size(1), 2]), x], 2)",
          "torch.stack([x, x * 2])",
          "torch.stack([x, x * 2], -1)",
          "torch.stack([x[:, 0], x[:, -1]], 1)",
          "torch.hstack([x, y])",
      },
      {kX, {{"B", "P", "4"}}},
      {{{"B", 2}, {"S", 5}, {"P", 3}},
       {{"B", 1}, {"S", 1}, {"P", 4}},
       {{"B", 3}, {"S", 9}, {"P", 1}}});
}

TEST_CASE("padding") {
  check_open(
      {
          "torch.pad(x, [1, 2])",
          "torch.pad(x, [0, 0, 1, 2])",
          "torch.pad(x, [0, 0, 1, 2], value=1.5)",
          "torch.pad(x, [0, 0, -1, 2])",
          "torch.pad(x, [0, 0, 0, -2])",
          "torch.pad(x, [0, 0, x.size(1), 0])",
          "torch.pad(x, [0, 0, 0, 12 - x.size(1)])",
          "torch.pad(x, [0, 0, x.size(1) - 2, 1], value=2.)",
          "torch.pad(x, [1, 2], 'replicate')",
          "torch.pad(x.transpose(1, 2), [2, 1], 'replicate')",
          "torch.pad(x.transpose(1, 2), [2, 1], 'reflect')",
          "torch.pad(x.transpose(1, 2), [2, 1], 'circular')",
          "torch.pad(x.transpose(1, 2), [x.size(1) % 2, x.size(1) // 3], 'replicate')",
          "torch.pad(x.transpose(1, 2), [x.size(1) % 2, x.size(1) // 3], 'reflect')",
          "torch.pad(x.transpose(1, 2), [x.size(1) % 2, x.size(1) // 3], 'circular')",
      },
      {kX}, kLong);
}

TEST_CASE("sizes as numbers") {
  check_open(
      {
          "x * x.size(1)",
          "x / (x.size(1) + 1)",
          "x - x.size(0) * x.size(1)",
          "y + y.size(1)",
          "y * y.size(1)",
          "y // y.size(1)",
          "y % y.size(1)",
          "y.clamp(0, y.size(1) - 1)",
          "x.clamp(max=x.size(1))",
          "y < y.size(1)",
          "torch.where(y < y.size(1), y, y.size(1) - 1)",
          "x.pow(2) / x.size(1)",
          "x.to(7) * x.size(1)",
          "x.to(5) * x.size(1)",
          "y.to(3) + y.size(1)",
          "torch.add(y, y, alpha=y.size(1))",
          "y.eq(y.size(1) - 1)",
          "x.masked_fill(x > 0, x.size(1))",
      },
      {kX, kIds}, kSizes, 1e-3);
}

TEST_CASE("parameters repeated for each entry of a batch, and merged with it") {
  check_open_with({{"p", randn({1, 1, 8}, 1)}},
                  {"(self.p.repeat(x.size(0), 1, 1) + 1).transpose(0, 1).contiguous()"
                   ".view(1, x.size(0) * 2, 4)",
                   "self.p.expand(x.size(0), -1, -1).reshape(x.size(0) * 2, 4) * 3",
                   "self.p.expand(x.size(0), x.size(1), 8).reshape(-1, 4)"},
                  {kX}, kSizes);
}

}  // namespace
}  // namespace t2n::test::dynamic_shape_tests
