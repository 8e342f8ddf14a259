// SPDX-License-Identifier: Apache-2.0
// Sizes that stay open: products, attention with and without a past, rotary positions.
#include <doctest/doctest.h>

#include "tests/support/dynamic.h"

namespace t2n::test::dynamic_attention_tests {
namespace {

const std::vector<Sizes> kPast = {
    {{"B", 2}, {"S", 5}, {"P", 3}}, {{"B", 1}, {"S", 1}, {"P", 4}}, {{"B", 3}, {"S", 9}, {"P", 1}}};
const OpenInput kX{{"B", "S", "8"}};

TEST_CASE("products") {
  const ir::Tensor weight = randn({6, 8}, 1), bias = randn({6}, 2);
  check_open_with({{"weight", weight}, {"bias", bias}},
                  {
                      "torch.linear(x, self.weight, self.bias)",
                      "torch.linear(x, self.weight)",
                      "torch.linear(x[:, 0], self.weight, self.bias)",
                      "torch.linear(x.flatten(0, 1), self.weight, self.bias)",
                      "x @ self.weight.t()",
                      "x @ x.transpose(1, 2)",
                      "torch.bmm(x, x.transpose(1, 2))",
                      "torch.matmul(x, x[0].t())",
                      "torch.einsum('bsd,btd->bst', [x, x])",
                      "torch.einsum('bsd,od->bso', [x, self.weight])",
                      "torch.einsum('bsd->bs', [x])",
                      "torch.addmm(self.bias, x.flatten(0, 1), self.weight.t())",
                      "torch.baddbmm(x, x @ x.transpose(1, 2), x)",
                      "torch.outer(x[0, :, 0], x[:, 0, 0])",
                      "x.matmul(self.weight.t()) + self.bias",
                  },
                  {kX}, kSizes);
}

TEST_CASE("products of what repeats") {
  check_open_with(
      {{"weight", randn({6, 8}, 1)}, {"wide", randn({6, 16}, 2)}},
      {
          "torch.linear(x[:, :1].expand(-1, x.size(1), -1), self.weight)",
          "torch.linear(x[:, :, :1].expand(-1, -1, 8), self.weight)",
          "torch.linear(x[:1].expand(x.size(0), -1, -1), self.weight)",
          "torch.linear(x[:, :1].repeat(1, x.size(1), 1), self.weight)",
          "torch.linear(torch.cat([x, x[:, :1].expand_as(x)], 2), self.wide)",
          "torch.linear(torch.cat([x[:1].expand_as(x), x], 2).relu(), self.wide)",
          "torch.linear(torch.cat([x, x.mean(1, keepdim=True).repeat(1, x.size(1), 1)], 2), "
          "self.wide)",
          "torch.conv1d(torch.cat([x, x.mean(1, keepdim=True).expand_as(x)], 2).mT, "
          "self.wide.unsqueeze(2))",
          "torch.bmm(x[:1].expand_as(x), x.mT)",
          "torch.bmm(x[:1].expand_as(x), x[:1].expand_as(x).mT)",
          "torch.ones(x.size(0), x.size(1), 8) @ self.weight.t()",
          "torch.full([x.size(0), 8], 2.0) @ self.weight.t()",
          "x[:, :, :1].expand(-1, -1, x.size(1)) @ x",
          "x[:, :1, :1].expand(-1, x.size(1), x.size(1)) @ x",
      },
      {kX}, kSizes);
}

TEST_CASE("parts of tables between open bounds") {
  const std::string part = "self.table[:, 20 - (x.size(1) + 1) // 2:20 + x.size(1) // 2]";
  check_open_with({{"weight", randn({6, 8}, 1)}, {"table", randn({1, 40, 8}, 2)}},
                  {
                      cat("torch.linear(", part, ", self.weight)"),
                      cat(part, ".squeeze(0)"),
                      cat(part, ".mT.unsqueeze(1)"),
                      cat("x @ ", part, "[0].t()"),
                      cat("x + ", part),
                  },
                  {kX}, kLong);
}

TEST_CASE("scaled dot-product attention") {
  const std::string heads = "x.view(x.size(0), x.size(1), 2, 4).transpose(1, 2)";
  const std::string call =
      "torch.scaled_dot_product_attention(" + heads + ", " + heads + ", " + heads;
  check_open(
      {
          call + ")",
          call + ", None, 0., True)",
          call + ", torch.ones([x.size(1), x.size(1)], dtype=11).tril())",
          call + ", torch.full([x.size(1), x.size(1)], float('-inf')).triu(1))",
          call +
              ", (torch.arange(x.size(1)).unsqueeze(0) <= torch.arange(x.size(1)).unsqueeze(1)))",
          call + ").transpose(1, 2).reshape(x.size(0), x.size(1), 8)",
          call + ", scale=0.3)",
          "torch.scaled_dot_product_attention(x, x, x, None, 0., True)",
      },
      {kX}, kSizes);
}

TEST_CASE("attention by hand") {
  const std::string scores = "((x @ x.transpose(1, 2) / (8 ** 0.5))";
  check_open(
      {
          "torch.softmax" + scores + ", -1) @ x",
          "torch.softmax" + scores +
              ".masked_fill(torch.ones([x.size(1), x.size(1)], dtype=11).triu(1), float('-inf')), "
              "-1) @ x",
          "torch.softmax" + scores +
              " + torch.full([x.size(1), x.size(1)], float('-inf')).triu(1), -1) @ x",
          "torch.softmax" + scores +
              ".masked_fill(torch.arange(x.size(1)).unsqueeze(0) > "
              "torch.arange(x.size(1)).unsqueeze(1), -1e9), -1) @ x",
          "torch.softmax" + scores +
              ".masked_fill(torch.tril(torch.ones([64, 64]))[:x.size(1), :x.size(1)] == 0, "
              "float('-inf')), -1) @ x",
      },
      {kX}, kSizes);
}

TEST_CASE("attention with a past") {
  const std::string all = "torch.cat([y, x], 1)";
  check_open(
      {
          "torch.scaled_dot_product_attention(x, " + all + ", " + all + ")",
          "torch.scaled_dot_product_attention(x, " + all + ", " + all + ", None, 0., True)",
          "torch.scaled_dot_product_attention(x, " + all + ", " + all +
              ", torch.ones([x.size(1), x.size(1) + y.size(1)], dtype=11).tril(y.size(1)))",
          "torch.softmax((x @ " + all +
              ".transpose(1, 2)).masked_fill(torch.arange(x.size(1) + y.size(1)).unsqueeze(0) > "
              "(torch.arange(x.size(1)) + y.size(1)).unsqueeze(1), -1e9), -1) @ " +
              all,
          all + "[:, -x.size(1):] + x",
          all + "[:, y.size(1):] + x",
          "torch.arange(y.size(1), y.size(1) + x.size(1))",
      },
      {kX, {{"B", "P", "8"}}}, kPast);
}

TEST_CASE("rotary positions") {
  const ir::Tensor table = randn({64, 8}, 5), frequencies = uniform({4}, 0, 1, 6);
  const std::string turned = "torch.cat([-x[..., 4:], x[..., :4]], -1)";
  check_open_with(
      {{"table", table}, {"frequencies", frequencies}},
      {
          "x * self.table[:x.size(1)] + " + turned + " * self.table[:x.size(1)]",
          "x * self.table[torch.arange(x.size(1))]",
          "x * torch.cos(torch.outer(torch.arange(x.size(1), dtype=6), "
          "self.frequencies)).repeat(1, 2)",
          "x * torch.outer(torch.arange(x.size(1)).to(6), self.frequencies).cos().repeat(1, 2) + " +
              turned +
              " * torch.outer(torch.arange(x.size(1)).to(6), self.frequencies).sin().repeat(1, 2)",
      },
      {kX}, kSizes);
}

}  // namespace
}  // namespace t2n::test::dynamic_attention_tests
