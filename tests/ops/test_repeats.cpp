// SPDX-License-Identifier: Apache-2.0
// Entries that repeat along an axis, in front of products: the engine may not leave them out.
#include "tests/ops/check_script.h"

namespace t2n::test::repeats_tests {
namespace {

using ir::DType;

const ir::Tensor kRow = randn({1, 3}, 1);
const ir::Tensor kColumn = randn({4, 1}, 2);
const ir::Tensor kMatrix = randn({4, 3}, 3);

TEST_CASE("products of expanded matrices") {
  check_each(
      {"x.expand(4, 3) @ z.t()", "z @ x.expand(4, 3).t()", "x.expand(4, 3) @ x.expand(5, 3).t()",
       "x[0].expand(4, 3) @ z.t()", "x.expand(2, 4, 3) @ z.t()", "z @ x.t().expand(3, 5)",
       "y.expand(4, 3) @ z.t()", "y.expand(4, 3) @ y.t().expand(3, 4)", "y.expand(4, 3).t() @ z",
       "x.expand(4, 3).t() @ z", "x.expand(4, 3) @ x[0]", "torch.mm(x.expand(4, 3), z.t())",
       "torch.mv(x.expand(4, 3), z[0])",
       "torch.addmm(x.expand(4, 3), x.expand(4, 3), z.t()[:, :3])",
       "torch.linear(x.expand(4, 3), z, z[:, 0])", "torch.linear(y.expand(4, 3), z)",
       "torch.linear(z, x.expand(5, 3))", "torch.inner(y.expand(4, 3), z)",
       "torch.tensordot(y.expand(4, 3), z, [0], [0])"},
      {kRow, kColumn, kMatrix});
}

TEST_CASE("products of repeated matrices") {
  check_each({"x.repeat(4, 1) @ z.t()", "y.repeat(1, 3) @ z.t()", "torch.tile(y, [1, 3]) @ z.t()",
              "x.repeat_interleave(4, 0) @ z.t()", "torch.broadcast_to(y, [4, 3]) @ z.t()",
              "torch.linear(y.repeat(2, 3), z)", "torch.full_like(z, 2.0) @ z.t()",
              "z @ torch.ones(3, 5)", "x.sum(1, keepdim=True).expand(4, 3) @ z.t()"},
             {kRow, kColumn, kMatrix});
}

TEST_CASE("operations between an expansion and a product") {
  std::vector<std::string> all;
  for (const char* const expanded : {"x.expand(4, 3)", "y.expand(4, 3)"})
    for (const char* const direction :
         {".exp()", ".relu()", " * 1.0", " + 0", " * 2 + 1", ".double().float()", ".contiguous()",
          ".clone()", ".unsqueeze(0)", ".t().contiguous().t()", ".view(2, 2, 3)", "[:3]",
          "[:, :3].neg()", ".sigmoid().log()", ".flip(0)", ".roll(1, 1)", ".abs().sqrt()"})
      all.push_back(cat("torch.matmul(", expanded, direction, ", z.t())"));
  all.emplace_back("(x.expand(4, 3) + y.expand(4, 3)) @ z.t()");
  all.emplace_back("(x.expand(4, 3) * x.expand(4, 3)) @ z.t()");
  all.emplace_back("(x + y) @ z.t()");
  all.emplace_back("x.expand(2, 4, 3).reshape(8, 3) @ z.t()");
  all.emplace_back("x.unsqueeze(1).expand(1, 4, 3).reshape(1, 12) @ z.reshape(12, 1)");
  all.emplace_back("torch.where(z > 0, x.expand(4, 3), y.expand(4, 3)) @ z.t()");
  check_each(all, {kRow, kColumn, kMatrix});
}

TEST_CASE("layers over a concatenation with an expanded part") {
  const Parameters layers = {
      {"w", randn({5, 7}, 4)}, {"b", randn({5}, 5)}, {"k", randn({5, 7, 1}, 6)}};
  check_with(layers,
             {"torch.linear(torch.cat([x, y.expand(2, 6, 4)], 2), self.w, self.b)",
              "torch.linear(torch.cat([y.expand(2, 6, 4), x], 2), self.w)",
              "torch.linear(torch.cat([y.expand(-1, 6, -1), x], -1).relu(), self.w)",
              "torch.linear(torch.cat([x, y.repeat(1, 6, 1)], 2), self.w, self.b)",
              "torch.matmul(torch.cat([x, y.expand(2, 6, 4)], 2), self.w.t())",
              "torch.einsum('bti,oi->bto', [torch.cat([x, y.expand(2, 6, 4)], 2), self.w])",
              "torch.conv1d(torch.cat([x, y.expand(2, 6, 4)], 2).transpose(1, 2), self.k, self.b)",
              "torch.conv1d(torch.cat([x.mT, y.mT.expand(2, 4, 6)], 1), self.k)",
              "torch.conv1d(torch.cat([x.mT, y.mT.repeat(1, 1, 6)], 1), self.k, self.b)",
              "torch.linear(torch.cat([x, torch.ones(2, 6, 4)], 2), self.w)"},
             {randn({2, 6, 3}, 1), randn({2, 1, 4}, 2)});
  check_with(layers,
             {"torch.linear(torch.cat([x, y.mean(1, keepdim=True).expand(2, 6, 4)], 2), self.w)",
              "torch.linear(torch.cat([x.mean(2, keepdim=True).expand_as(x), y], 2), self.w)",
              "torch.linear(torch.cat([x, y[:, :1].expand_as(y)], 2), self.w, self.b)"},
             {randn({2, 6, 3}, 1), randn({2, 6, 4}, 2)});
}

TEST_CASE("convolutions of expanded maps") {
  const Parameters weights = {{"one", randn({5, 3, 1, 1}, 4)},
                              {"three", randn({5, 3, 3, 3}, 5)},
                              {"up", randn({3, 5, 2, 2}, 6)}};
  for (const ir::Ints& shape : {ir::Ints{2, 3, 1, 1}, {2, 1, 4, 4}, {1, 3, 4, 4}, {2, 3, 4, 1}})
    check_with(weights,
               {"torch.conv2d(x.expand(2, 3, 4, 4), self.one)",
                "torch.conv2d(x.expand(2, 3, 4, 4), self.three, None, [1, 1], [1, 1])",
                "torch.conv2d(x.expand(2, 3, 4, 4).tanh(), self.one)",
                "torch.conv_transpose2d(x.expand(2, 3, 4, 4), self.up, None, [2, 2])"},
               {randn(shape, 1)});
  check_each({"torch.conv2d(x, y.expand(5, 3, 1, 1))", "torch.conv2d(x, y.expand(5, 3, 3, 3))"},
             {randn({2, 3, 4, 4}, 1), randn({5, 1, 1, 1}, 2)});
}

TEST_CASE("batches of products, one or both expanded") {
  check_each(
      {"torch.bmm(x.expand(4, 2, 3), y)", "torch.bmm(x.expand(4, 2, 3), y[:1].expand(4, 3, 5))",
       "torch.matmul(x.expand(4, 2, 3), y[:1])", "torch.matmul(x, y[:1].expand(4, 3, 5))",
       "torch.baddbmm(z, x.expand(4, 2, 3), y)",
       "torch.baddbmm(z[:1], x.expand(4, 2, 3), y[:1].expand(4, 3, 5))",
       "torch.bmm(z[:, :, :1].expand(4, 2, 3), y)",
       "torch.bmm(z[:, :1, :3].expand(4, 2, 3), y[:, :, :1].expand(4, 3, 5))",
       "torch.addbmm(z[0], x.expand(4, 2, 3), y)"},
      {randn({1, 2, 3}, 1), randn({4, 3, 5}, 2), randn({4, 2, 5}, 3)});
}

TEST_CASE("einsum of expanded operands") {
  check_each({"torch.einsum('ik,kj->ij', [x.expand(4, 3), z.t()])",
              "torch.einsum('ik,kj->ij', [y.expand(4, 3), z.t()])",
              "torch.einsum('ik,jk->ij', [y.expand(4, 3), x.expand(5, 3)])",
              "torch.einsum('ik,ik->ik', [y.expand(4, 3), x.expand(4, 3)])",
              "torch.einsum('ik,ik->i', [y.expand(4, 3), z])",
              "torch.einsum('ik,ik->', [y.expand(4, 3), x.expand(4, 3)])",
              "torch.einsum('bik,kj->bij', [x.expand(2, 4, 3), z.t()])"},
             {kRow, kColumn, kMatrix});
}

TEST_CASE("heads that share their keys") {
  const std::string keys = "y.unsqueeze(2).expand(2, 2, 3, 4, 5).reshape(2, 6, 4, 5)";
  const std::string queries = "x[:, :1].expand(2, 6, 4, 5)";
  check_each(
      {cat("torch.matmul(x, ", keys, ".mT)"), cat("torch.matmul(", queries, ", ", keys, ".mT)"),
       cat("torch.softmax(x @ ", keys, ".mT, -1) @ ", keys),
       cat("torch.scaled_dot_product_attention(x, ", keys, ", ", keys, ")"),
       cat("torch.scaled_dot_product_attention(", queries, ", ", keys, ", ", keys, ")")},
      {randn({2, 6, 4, 5}, 1), randn({2, 2, 4, 5}, 2)});
}

TEST_CASE("recurrent layers with one vector at every time step") {
  const Parameters lstm = {
      {"wi", randn({8, 3}, 1)}, {"wh", randn({8, 2}, 2)}, {"b", randn({8}, 3)}};
  const auto layer = [](const std::string& x, const std::string& h) {
    return cat("torch.lstm(", x, ", [", h, ", ", h,
               "], [self.wi, self.wh, self.b, self.b], True, 1, 0.0, False, False, True)[0]");
  };
  check_with(lstm,
             {layer("x.expand(2, 5, 3)", "y"), layer("x.repeat(1, 5, 1)", "y"),
              layer("x.expand(2, 5, 3)", "y[:, :1].expand(1, 2, 2)"),
              layer("x", "y[:, :1].expand(1, 2, 2)"), layer("x", "y[:, :, :1].expand(1, 2, 2)")},
             {randn({2, 1, 3}, 4), randn({1, 2, 2}, 5)});
}

TEST_CASE("expanded integers and halves") {
  check_each({"x.expand(4, 3) @ y", "x.repeat(4, 1) @ y"},
             {randint({1, 3}, -5, 5, 1), randint({3, 2}, -5, 5, 2)});
  check_each({"x.expand(4, 3) @ y", "x[:, :1].expand(4, 3) @ y"},
             {randn({1, 3}, 1, DType::f16), randn({3, 2}, 2, DType::f16)}, 2e-3);
  check_each({"x.expand(4, 3) @ y", "x[:, :1].expand(4, 3) @ y"},
             {randn({1, 3}, 1, DType::f64), randn({3, 2}, 2, DType::f64)}, 1e-12);
}

}  // namespace
}  // namespace t2n::test::repeats_tests
