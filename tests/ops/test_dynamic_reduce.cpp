// SPDX-License-Identifier: Apache-2.0
// Sizes that stay open: reductions, norms, orders and running sums.
#include <doctest/doctest.h>

#include "nnef_writer/print.h"
#include "src/diag/error.h"
#include "tests/support/dynamic.h"
#include "tests/support/example.h"

namespace t2n::test::dynamic_reduce_tests {
namespace {

TEST_CASE("reductions over a symbolic axis") {
  check_open(
      {
          "x.sum(1)",
          "x.sum()",
          "x.mean(1)",
          "x.mean()",
          "x.mean([0, 1], keepdim=True)",
          "x.mean(-1)",
          "x.to(7).mean(1)",
          "x.to(5).mean(1)",
          "x.amax(1)",
          "x.max(1)[0]",
          "x.max(1)[1]",
          "x.min()",
          "x.argmax(1)",
          "x.argmax()",
          "x.argmin(-1)",
          "(x > 0).any(1)",
          "(x > 0).all(1)",
          "(x > 0).sum(1)",
          "x.prod(1)",
          "y.sum(1)",
          "y.max(1)[0]",
          "x.count_nonzero(1)",
          "x.norm(2., 1)",
          "x.norm()",
          "torch.logsumexp(x, 1)",
          "torch.softmax(x, 1)",
          "torch.log_softmax(x, 1)",
          "x.var(1, unbiased=False)",
          "x.std(2)",
          "x.sum(1) / x.size(1)",
          "(x * (y > 2).unsqueeze(-1)).sum(1) / (y > 2).sum(1, keepdim=True).clamp(min=1)",
          "torch.cosine_similarity(x, x + 1, -1)",
          "torch.cosine_similarity(x, x[:, :1] + 1, -1)",
          "torch.cdist(x, x)",
      },
      {kX, kIds}, kSizes, 2e-3);
}

TEST_CASE("sums and means over an axis that may be empty") {
  check_open({"x[:, :, :0].sum(-1)", "y[:, 1:].float().sum(1)", "y[:, 1:].float().mean(1)",
              "(y[:, 1:] - y[:, :-1]).float().abs().sum()", "y[:, 1:].to(5).sum(1)",
              "y[:, 1:].double().mean(1)", "y[:, 1:].sum(1)", "y[:, 1:].mean(1, dtype=7)",
              "torch.ones(y.size(1) // 2).sum() + x", "torch.ones(y.size(1) % 2).mean() + x",
              "y[:, 1:].float().norm(2., 1)", "torch.ones(3, y.size(1) // 2).sum([0, 1])"},
             {kX, kIds}, kSizes);
}

/// Whether a mean over `axes` adds a zero for the case that there is nothing.
bool is_guarded(const std::string& shape, const std::string& axes) {
  const std::string source = cat("graph m(%x: f32[", shape, "]) -> (%y as \"y\") {\n  %y: f32[] = ",
                                 "aten::mean.dim(self=%x, dim=", axes, ", keepdim=false)\n}");
  ir::Graph graph = ir::parse(source);
  ir::Sizes sizes;
  for (const ir::Dim& dim : graph.values[0].shape)
    for (const ir::Symbol& symbol : dim.symbols()) sizes[symbol] = 5;
  graph.attributes[ir::kSampleSizes] = sizes;
  graph.attributes[ir::kRelations] = std::vector<ir::Comparison>{
      {ir::parse_dim("S"), ir::Relation::ge, 1}, {ir::parse_dim("T"), ir::Relation::ge, 1}};
  const std::string text =
      nnef::print(export_example({graph, {}, {}, {}}, newest_target()).document);
  return text.find("concat") != std::string::npos || text.find("pad") != std::string::npos;
}

TEST_CASE("a product of sizes is nothing only where one of them is") {
  CHECK_FALSE(is_guarded("S", "[0]"));
  CHECK_FALSE(is_guarded("3*S*T", "[0]"));
  CHECK(is_guarded("S - 1", "[0]"));
  CHECK(is_guarded("S - T", "[0]"));
  CHECK(is_guarded("S*T - S", "[0]"));
}

TEST_CASE("variances") {
  check_open({"x.var(1)", "x.std(1)", "x.var()", "x.var([0, 1])", "torch.std_mean(x, 1)[0]"}, {kX},
             kLong);
}

TEST_CASE("norms") {
  const ir::Tensor weight = randn({4}, 3), bias = randn({4}, 4);
  check_open_with(
      {{"weight", weight}, {"bias", bias}},
      {
          "torch.layer_norm(x, [4], self.weight, self.bias)",
          "torch.layer_norm(x, [4])",
          "torch.group_norm(x.transpose(1, 2), 2, self.weight, self.bias)",
          "torch.instance_norm(x.transpose(1, 2), None, None, None, None, True, 0.1, 1e-5, False)",
          "torch.batch_norm(x.transpose(1, 2), self.weight, self.bias, self.bias, self.weight * "
          "self.weight + 1, False, 0.1, 1e-5, False)",
          "torch.rms_norm(x, [4], self.weight)",
          "x / x.norm(2., 1, True).clamp_min(1e-12).expand_as(x)",
          "x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.weight",
          "torch.group_norm(x.flatten(0, 1), 2)",
      },
      {kX}, kLong);
}

TEST_CASE("running sums and extremes") {
  check_open(
      {
          "x.cumsum(1)",
          "x.cumsum(-1)",
          "x.cumsum(0)",
          "y.cumsum(1)",
          "(y > 4).cumsum(1)",
          "(y != 1).to(4).cumsum(1) * (y != 1).to(4) + 1",
          "x.cumprod(1)",
          "x.cummax(1)[0]",
          "x.cummax(1)[1]",
          "torch.logcumsumexp(x, 1)",
          "torch.ones([x.size(1)]).cumsum(0)",
          "torch.ones_like(y).cumsum(1) - 1",
      },
      {kX, kIds}, kSizes, 1e-4);
}

TEST_CASE("orders") {
  check_open(
      {
          "x.sort(1)[0]",
          "x.sort(1, True)[1]",
          "x.argsort(1)",
          "x.topk(2, 2)[0]",
          "x.topk(1, 1)[0]",
          "x.topk(min(x.size(1), 3), 1)[0]",
          "x.topk(x.size(1), 1)[0] + x",
          "x.median(1)[0]",
          "x.median()",
          "x.kthvalue(1, 1)[0]",
      },
      {kX}, kSizes);
}

}  // namespace
}  // namespace t2n::test::dynamic_reduce_tests
