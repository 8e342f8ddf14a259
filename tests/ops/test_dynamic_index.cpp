// SPDX-License-Identifier: Apache-2.0
// Sizes that stay open: reading and writing at positions.
#include <doctest/doctest.h>

#include "tests/support/dynamic.h"

namespace t2n::test::dynamic_index_tests {
namespace {

using ir::DType;

const OpenInput kIds{{"B", "S"}, DType::i64, 0, 6};
/// Valid along axes of every size.
const OpenInput kZero{{"B", "S"}, DType::i64, 0, 1};

TEST_CASE("embeddings") {
  const ir::Tensor table = randn({64, 4}, 1);
  check_open_with({{"weight", table}},
                  {
                      "torch.embedding(self.weight, x)",
                      "torch.embedding(self.weight, x) + torch.embedding(self.weight, "
                      "torch.arange(x.size(1)))",
                      "self.weight[x]",
                      "self.weight[:x.size(1)]",
                      "self.weight[torch.arange(x.size(1))].unsqueeze(0)",
                      "torch.embedding(self.weight, torch.arange(x.size(1)).expand(x.size(0), -1))",
                  },
                  {kIds}, kSizes);
}

TEST_CASE("bags of rows, of lengths that are given") {
  const OpenInput ids{{"S"}, DType::i64, 0, 9};
  const OpenInput lengths{{"B"}, DType::i64, 0, 2};
  const std::string begins = "torch.cumsum(y, 0) - y";
  std::vector<std::string> forms;
  for (const std::string rest :
       {")[0]", ", False, 1)[0]", ", False, 2)[0]", ", False, 1, False, None, False, 3)[0]",
        ", False, 2, False, None, False, 3)[0]", ", False, 0, False, z, False)[0]"})
    forms.push_back("torch.embedding_bag(self.weight, x, " + begins + rest);
  const std::string ends = "torch.cat([torch.zeros([1], dtype=4), torch.cumsum(y, 0)])";
  for (const std::string mode : {"0", "2"})
    forms.push_back("torch.embedding_bag(self.weight, x, " + ends + ", False, " + mode +
                    ", False, None, True)[0]");
  check_open_with({{"weight", randn({9, 4}, 1)}}, forms, {ids, lengths, OpenInput{{"S"}}}, kSizes);
}

TEST_CASE("rows of indices are bags of one length") {
  check_open_with({{"weight", randn({9, 4}, 1)}},
                  {"torch.embedding_bag(self.weight, x.reshape([-1]), torch.arange(0, x.numel(), "
                   "x.size(1)), False, 1)[0]"},
                  {OpenInput{{"B", "3"}, DType::i64, 0, 9}}, kSizes);
}

TEST_CASE("reading at positions") {
  check_open(
      {
          "x[:, torch.arange(x.size(1))]",
          "x[torch.arange(x.size(0)), y[:, 0]]",
          "x[torch.arange(x.size(0)), x.size(1) - 1]",
          "x[torch.arange(x.size(0)), -1 - y[:, 0]]",
          "x[torch.arange(x.size(0)).unsqueeze(1), y]",
          "x.index_select(1, torch.arange(x.size(1)))",
          "x.index_select(1, torch.arange(x.size(1) - 1, -1, -1))",
          "x[:, :, 0].gather(1, y)",
          "x.gather(1, y.unsqueeze(-1).expand(-1, -1, 4))",
          "torch.take_along_dim(x[:, :, 0], y, 1)",
          "torch.take(x, y)",
          "torch.where(x > 0, x, 0.)",
          "x.masked_fill(torch.arange(x.size(1)).unsqueeze(-1) < 2, 0.)",
          "x.masked_fill((y == 0).unsqueeze(-1), 1.)",
          "x[:, [0, -1]]",
      },
      {kX, kZero}, kSizes);
}

TEST_CASE("writing") {
  check_open(
      {
          "torch.slice_scatter(x, x[:, 1:] * 2, 1, 1)",
          "torch.slice_scatter(x, x[:, :-1] * 2, 1, 0, -1)",
          "torch.slice_scatter(x, x[:, :2] * 2, 1, 1, 3)",
          "torch.slice_scatter(x, x[:, :1] * 2, 1, 1, 2)",
          "torch.slice_scatter(x, x[:, ::2] * 2, 1, 0, None, 2)",
          "torch.slice_scatter(x, x[:, -2:] * 2, 1, -2)",
          "torch.select_scatter(x, x[:, 0] * 2, 1, 1)",
          "torch.select_scatter(x, x[:, 0] * 2, 1, -1)",
          "x.index_fill(1, torch.arange(2), 1.)",
          "x.index_copy(1, torch.arange(x.size(1) - 1), x[:, 1:])",
          "x.index_add(1, torch.arange(x.size(1) - 1), x[:, 1:])",
          "x.index_put([torch.arange(x.size(0)), y[:, 0]], x[:, 1])",
          "x.index_put([torch.arange(x.size(0)), y[:, 0]], x[:, 1], True)",
          "x[:, :, 0].scatter(1, y[:, :1], 3.)",
          "x[:, :, 0].scatter(1, torch.arange(x.size(1)).flip(0).expand(x.size(0), -1), x[:, :, "
          "1])",
          "x[:, :, 0].scatter_add(1, y, x[:, :, 1])",
          "torch.zeros([x.size(0), x.size(1)]).scatter(1, y, 1.)",
          "x.masked_scatter(x > 0, x.flip(1))",
      },
      {kX, kZero}, kLong);
}

}  // namespace
}  // namespace t2n::test::dynamic_index_tests
