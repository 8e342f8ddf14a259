// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/check_script.h"

namespace t2n::test::matmul_tests {
namespace {

using ir::DType;

TEST_CASE("linear layers of every rank") {
  const Parameters layer = {{"w", randn({5, 4}, 1)}, {"b", randn({5}, 2)}, {"v", randn({4}, 3)}};
  const std::vector<std::string> all = {"torch.linear(x, self.w, self.b)",
                                        "torch.linear(x, self.w)", "torch.linear(x, self.v)"};
  for (const ir::Ints& shape :
       {ir::Ints{4}, ir::Ints{3, 4}, ir::Ints{2, 3, 4}, ir::Ints{2, 1, 3, 4}})
    check_with(layer, all, {randn(shape, 4)});
  check_each({"torch.linear(x, y, z)", "torch.linear(x, y * 2)"},
             {randn({2, 3, 4}, 4), randn({5, 4}, 5), randn({5}, 6)});
}

TEST_CASE("one weight used twice") {
  check_with(
      {{"w", randn({80, 300}, 1)}},
      {"torch.linear(torch.linear(x, self.w), self.w.t()) + torch.matmul(y, self.w.t()).sum()"},
      {randn({2, 3, 300}, 2), randn({7, 300}, 3)}, 1e-3);
}

TEST_CASE("matmul of all ranks broadcasts the batch") {
  const std::vector<std::pair<ir::Ints, ir::Ints>> shapes = {{{4}, {4}},
                                                             {{3, 4}, {4}},
                                                             {{4}, {4, 5}},
                                                             {{3, 4}, {4, 5}},
                                                             {{2, 3, 4}, {4}},
                                                             {{4}, {2, 4, 5}},
                                                             {{2, 3, 4}, {4, 5}},
                                                             {{3, 4}, {2, 4, 5}},
                                                             {{2, 3, 4}, {1, 4, 5}},
                                                             {{6, 1, 3, 4}, {2, 4, 5}},
                                                             {{2, 1, 3, 4}, {1, 6, 4, 5}}};
  for (const auto& [a, b] : shapes)
    check_each({"torch.matmul(x, y)", "torch.linalg_matmul(x, y)"}, {randn(a, 1), randn(b, 2)});
}

TEST_CASE("products with ranks in their names") {
  check_each({"torch.mm(x, y)"}, {randn({3, 4}, 1), randn({4, 5}, 2)});
  check_each({"torch.bmm(x, y)"}, {randn({2, 3, 4}, 1), randn({2, 4, 5}, 2)});
  check_each({"torch.mv(x, y)"}, {randn({3, 4}, 1), randn({4}, 2)});
  check_each({"torch.dot(x, y)", "torch.vdot(x, y)", "torch.inner(x, y)", "torch.outer(x, y)",
              "torch.ger(x, y)", "torch.linalg_vecdot(x, y)", "torch.kron(x, y)"},
             {randn({4}, 1), randn({4}, 2)});
  check_each({"torch.inner(x, y)"}, {randn({2, 3, 4}, 1), randn({5, 4}, 2)});
  check_each({"torch.inner(x, y)", "torch.kron(x, y)"}, {randn({2, 3}, 1), randn({}, 2)});
  check_each({"torch.linalg_vecdot(x, y, dim=0)", "torch.linalg_vecdot(x, y, dim=-2)"},
             {randn({2, 3, 4}, 1), randn({2, 3, 4}, 2)});
  check_each({"torch.kron(x, y)"}, {randn({2, 3}, 1), randn({4, 2, 3}, 2)});
  check_each({"torch.outer(x, y)"}, {randn({3}, 1), randint({4}, -5, 5, 2)});
}

TEST_CASE("sums with products") {
  const std::string scales = ", beta=0.5, alpha=-2.0)";
  check_each(
      {"torch.addmm(x, y, z)", "torch.addmm(x, y, z" + scales, "torch.addmm(x[0], y, z" + scales,
       "torch.addmm(x / 0.0, y, z, beta=0)", "torch.addmm(x[0:1, 0], y, z)"},
      {randn({3, 5}, 1), randn({3, 4}, 2), randn({4, 5}, 3)});
  check_each({"torch.addmv(x, y, z)", "torch.addmv(x, y, z" + scales, "torch.addmv(x[0], y, z)"},
             {randn({3}, 1), randn({3, 4}, 2), randn({4}, 3)});
  check_each({"torch.baddbmm(x, y, z)", "torch.baddbmm(x, y, z" + scales,
              "torch.baddbmm(x[0, 0], y, z" + scales},
             {randn({2, 3, 5}, 1), randn({2, 3, 4}, 2), randn({2, 4, 5}, 3)});
  check_each({"torch.addbmm(x, y, z)", "torch.addbmm(x, y, z" + scales},
             {randn({3, 5}, 1), randn({2, 3, 4}, 2), randn({2, 4, 5}, 3)});
  check_each({"torch.addr(x, y, z)", "torch.addr(x, y, z" + scales, "torch.addr(x, y, z, beta=0)"},
             {randn({3, 4}, 1), randn({3}, 2), randn({4}, 3)});
}

TEST_CASE("contractions of chosen axes") {
  check_each({"torch.tensordot(x, y, [2], [0])", "torch.tensordot(x, y, [1, 2], [1, 0])",
              "torch.tensordot(x, y, [-1, -2], [0, 1])", "torch.tensordot(x, y, [], [])"},
             {randn({2, 3, 4}, 1), randn({4, 3, 5}, 2)});
  check_each({"torch.tensordot(x, y, [2, 1], [0, 1])"}, {randn({2, 3, 4}, 1), randn({1, 3, 5}, 2)});
}

TEST_CASE("chains and powers") {
  check_each({"torch.chain_matmul([x, y, z])", "torch.linalg_multi_dot([x, y, z])"},
             {randn({2, 3}, 1), randn({3, 4}, 2), randn({4, 5}, 3)});
  check_each({"torch.linalg_multi_dot([x, y, z])"},
             {randn({3}, 1), randn({3, 4}, 2), randn({4}, 3)});
  check_each({"torch.matrix_power(x, 0)", "torch.matrix_power(x, 1)", "torch.matrix_power(x, 2)",
              "torch.linalg_matrix_power(x, 5)"},
             {randn({2, 3, 3}, 1)}, 1e-4);
}

TEST_CASE("cross products") {
  check_each({"torch.cross(x, y)", "torch.cross(x, y, 1)", "torch.linalg_cross(x, y, dim=0)",
              "torch.linalg_cross(x[:, :, 0:1], y, dim=-2)"},
             {randn({3, 3, 4}, 1), randn({3, 3, 4}, 2)});
  check_each({"torch.linalg_cross(x, y)"}, {randint({5, 3}, -9, 9, 1), randint({1, 3}, -9, 9, 2)});
}

TEST_CASE("linear layers between reshapes of the rows") {
  // As `linear` with a matrix of rank 3, tract splits the matrix like the rows, and refuses it.
  check_with({{"w", randn({5, 4}, 2)}, {"b", randn({5}, 3)}},
             {"torch.linear(torch.tanh(x).reshape(4, 3, 4), self.w, self.b).reshape(2, 2, 3, 5)",
              "torch.linear(torch.tanh(x).reshape(4, 3, 1, 4), self.w).reshape(2, 2, 3, 5)"},
             {randn({2, 2, 3, 4}, 1)});
}

TEST_CASE("bilinear") {
  check_with({{"w", randn({6, 4, 5}, 1)}, {"b", randn({6}, 2)}},
             {"torch.bilinear(x, y, self.w, self.b)", "torch.bilinear(x, y, self.w)"},
             {randn({2, 3, 4}, 3), randn({2, 3, 5}, 4)});
}

TEST_CASE("einsum") {
  const ir::Tensor a = randn({2, 3, 4}, 1);
  const ir::Tensor b = randn({2, 4, 5}, 2);
  check_each(
      {"torch.einsum('bij,bjk->bik', [x, y])", "torch.einsum('bij, bjk', [x, y])",
       "torch.einsum('bij,bjk->', [x, y])", "torch.einsum('bij,ajk->aikb', [x, y])",
       "torch.einsum('bij,bjk->kb', [x, y])", "torch.einsum('...ij,...jk->...ik', [x, y])",
       "torch.einsum('i...,i...k->k...', [x[:, 0], y])",
       "torch.einsum('bij,bjk->j', [x, y], path=[0, 1])",
       "torch.einsum('bij,bjk,bk->bi', [x, y, y[:, 0]])",
       "torch.einsum('bij,bij,bjk->bk', [x, x, y])", "torch.einsum('a,bij->aij', [y[:, 0, 0], x])"},
      {a, b});
  check_each({"torch.einsum('ijk->kji', [x])", "torch.einsum('ijk->j', [x])",
              "torch.einsum('kji', [x])", "torch.einsum('ijk->', [x])",
              "torch.einsum('...->...', [x])", "torch.einsum('i...->...', [x])"},
             {a});
  check_each({"torch.einsum('ii', [x])", "torch.einsum('ii->i', [x])",
              "torch.einsum('ii,ij->j', [x, x])", "torch.einsum('i,j->ij', [x[0], x[1]])",
              "torch.einsum('ij,->ij', [x, x[0, 0]])", "torch.einsum('Ab,bC->CA', [x, x])"},
             {randn({3, 3}, 3)});
}

TEST_CASE("einsum broadcasts extents of one") {
  check_each({"torch.einsum('bij,bjk->bik', [x, y])", "torch.einsum('bij,bjk->ik', [x, y])",
              "torch.einsum('...ij,...jk->...ik', [x, y])"},
             {randn({2, 3, 1}, 1), randn({1, 4, 5}, 2)});
  check_each({"torch.einsum('...i,...i->...', [x, y])"}, {randn({6, 1, 4}, 1), randn({3, 4}, 2)});
}

TEST_CASE("products of other dtypes") {
  const std::vector<std::string> all = {"torch.matmul(x, y)",
                                        "torch.einsum('bij,bjk->kbi', [x, y])",
                                        "torch.baddbmm(x @ y, x, y, beta=2, alpha=3)"};
  check_each(all, {randn({2, 3, 64}, 1, DType::f16), randn({2, 64, 5}, 2, DType::f16)}, 4e-3);
  check_each(all, {randn({2, 3, 4}, 1, DType::f64), randn({2, 4, 5}, 2, DType::f64)}, 1e-12);
  for (const DType dtype : {DType::i32, DType::i64})
    check_each(all, {randint({2, 3, 4}, -9, 9, 1, dtype), randint({2, 4, 5}, -9, 9, 2, dtype)});
  // Far beyond what floats hold exactly.
  check_each({"torch.matmul(x, y)", "torch.dot(x[0, 0], y[0, :, 0])"},
             {randint({1, 2, 3}, -(int64_t{1} << 30), int64_t{1} << 30, 1),
              randint({1, 3, 2}, -(int64_t{1} << 30), int64_t{1} << 30, 2)});
}

TEST_CASE("einsum with diagonals in every dtype") {
  for (const ir::DType dtype : {ir::DType::f32, ir::DType::i64, ir::DType::u8})
    check_each(
        {"torch.einsum('ii->i', [x[0]])", "torch.einsum('bii->b', [x])",
         "torch.einsum('bii->ib', [x])", "torch.einsum('iij,jk->ki', [x.permute(1, 2, 0), y])"},
        {randint({2, 3, 3}, 0, 9, 1, dtype), randint({2, 4}, 0, 5, 2, dtype)});
  check_each({"torch.einsum('iii->i', [x])"}, {randint({3, 3, 3}, -9, 9, 1)});
}

TEST_CASE("products that are refused") {
  CHECK_EQ(refusal("torch.matrix_power(x, -1)", {randn({2, 2}, 1)}),
           "error[unsupported-argument]: aten::linalg_matrix_power: n=-1 has no translation for "
           "tract@0.23.9\n"
           "  --> the model (Model)\n"
           "  why:  NNEF has no matrix inverse\n"
           "  help: use a power of at least 0\n");
}

/// Ends of groups of five: some are empty, one has all.
std::vector<ir::Tensor> ends() {
  std::vector<ir::Tensor> out;
  for (const std::vector<double>& each :
       {std::vector<double>{2, 2, 8}, {0, 8, 8}, {8, 8, 8}, {0, 0, 8}, {1, 7, 8}})
    out.push_back(values({3}, each, ir::DType::i32));
  return out;
}

TEST_CASE("products of groups") {
  for (const ir::Tensor& each : ends()) {
    check_each({"torch._grouped_mm(x, y, z)"},
               {randn({8, 4}, /*seed=*/1), randn({3, 4, 12}, /*seed=*/2), each});
    check_each({"torch._grouped_mm(x, y.transpose(1, 2), z)"},
               {randn({8, 4}, /*seed=*/1), randn({3, 12, 4}, /*seed=*/2), each});
    check_each({"torch._grouped_mm(x, y, z)"},
               {randn({4, 8}, /*seed=*/1), randn({8, 12}, /*seed=*/2), each});
    check_each({"torch._grouped_mm(x, y, z)"},
               {randn({3, 4, 4}, /*seed=*/1), randn({4, 8}, /*seed=*/2), each});
  }
  check_each({"torch._grouped_mm(x, y)", "torch._grouped_mm(x, y, None, None, 6)"},
             {randn({3, 8, 4}, /*seed=*/1), randn({3, 4, 12}, /*seed=*/2)});
}

TEST_CASE("LibTorch takes no bias of groups") {
  CHECK_THROWS_WITH_AS(
      export_and_run(expression_script("torch._grouped_mm(x, y, z, torch.ones([12]))", 3),
                     {randn({8, 4}, /*seed=*/1), randn({3, 4, 12}, /*seed=*/2), ends()[0]},
                     newest_target()),
      doctest::Contains("Bias not supported"), Error);
}

}  // namespace
}  // namespace t2n::test::matmul_tests
