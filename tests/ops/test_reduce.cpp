// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "tests/ops/expressions.h"

namespace t2n::test::reduce_tests {
namespace {

using ir::DType;

const ir::Tensor kX = randn({2, 3, 4}, 1);
const double kInf = std::numeric_limits<double>::infinity();

TEST_CASE("maxima and minima of infinities alone") {
  const std::string low = "x.masked_fill(x < 9, -1.0 / 0.0)",
                    high = "torch.where(x < 9, 1.0 / 0.0, x)";
  check_each({low + ".amax(1)",
              low + ".max()",
              low + ".max(0)[0]",
              low + ".max(1)[1]",
              high + ".amin(1)",
              high + ".min()",
              high + ".min(0)[0]",
              high + ".aminmax(dim=1)[0]",
              "(x * 0).abs().log().amax(0)",
              "(x * 0 + torch.full([4], -1.0 / 0.0)).max(1)[0]",
              "(x.half() * 0).masked_fill(x < 9, -1.0 / 0.0).amax(1)",
              "x.masked_fill(x < 9, -3.4028234663852886e+38).amax(1)",
              "x.masked_fill(x < 0, -1.0 / 0.0).amax(0)",
              low + ".cummax(1)[0]",
              "torch.norm(" + high + ", -1.0 / 0.0, [1])",
              "torch.max_pool1d(" + low + ", 2, 1, 1)",
              "torch.max_pool1d(x.masked_fill(x < 5, -1.0 / 0.0), 2)",
              "torch.adaptive_max_pool1d(" + low + ", 2)[0]",
              "torch.max_pool2d(x[None].masked_fill(x < 5, -1.0 / 0.0), 2)",
              "torch.max_pool2d_with_indices(x[None].masked_fill(x < 5, -1.0 / 0.0), 2)[0]",
              "torch.max_pool1d(x.masked_fill(x < 5, -3.4028234663852886e+38), 2)"},
             {values({2, 4}, {1, -2, 3, 4, 5, -6, 7, 8})});
}

TEST_CASE("sums, means and products over any axes") {
  check_each(
      {"torch.sum(x)", "torch.sum(x, 1)", "torch.sum(x, -1, keepdim=True)", "torch.sum(x, [0, 2])",
       "torch.sum(x, [-1, 0], keepdim=True)", "x.sum(dim=())", "torch.sum(x, 1, dtype=7)",
       "torch.sum(x, dtype=4)", "torch.mean(x)", "torch.mean(x, 0)",
       "torch.mean(x, [1, -1], keepdim=True)", "torch.mean(x, 1, dtype=7)", "torch.prod(x)",
       "torch.prod(x, 1)", "torch.prod(x, -2, keepdim=True)", "torch.prod(x, 0, dtype=7)",
       "torch.nansum(x / (x > 0), 1)", "torch.nanmean(torch.sqrt(x), [0, 2], keepdim=True)",
       "torch.nanmean(x)"},
      {kX});
}

TEST_CASE("sums of integers and booleans are 64 bits wide") {
  for (const DType dtype : {DType::i32, DType::i64, DType::u8, DType::i8, DType::boolean})
    check_each({"torch.sum(x)", "torch.sum(x, 1)", "torch.prod(x, 0)", "torch.cumsum(x, 1)",
                "torch.sum(x, 1, dtype=6)", "torch.count_nonzero(x)", "torch.count_nonzero(x, 1)",
                "torch.count_nonzero(x, [0, 1])"},
               {values({2, 3}, {100, 0, 120, 3, 1, 127}, dtype)});
  check_each({"torch.mean(x, 1, dtype=6)", "torch.mean(x.float())"}, {randint({2, 3}, -9, 9, 2)});
}

TEST_CASE("long sums and means keep their digits") {
  // One element after the other, in f32, is off by 6e-6.
  check_each({"torch.mean(x)", "torch.sum(x, [1, 2])", "torch.mean(x, [-1, -2], keepdim=True)"},
             {uniform({1, 512, 999}, 0, 1, 3)}, 1e-6);
  check_each({"torch.mean(x)"}, {uniform({40, 999}, 0, 1000, 3, DType::f16)}, 2e-3);
}

TEST_CASE("sums and means of halves do not overflow") {
  check_each({"torch.mean(x)", "torch.mean(x, 0)", "torch.sum(x / 1000, 1)", "torch.std(x / 100)",
              "torch.linalg_vector_norm(x / 1000)", "torch.logsumexp(x / 10, 1)",
              "torch.cumsum(x / 1e4, 1)"},
             {uniform({3, 200}, 0, 1000, 3, DType::f16)}, 2e-3);
}

TEST_CASE("extremes and where they are") {
  const std::vector<std::string> forms = {"torch.max(x)",
                                          "torch.min(x)",
                                          "torch.max(x, 1)",
                                          "torch.min(x, -1, keepdim=True)",
                                          "torch.max(x, 0, keepdim=True)",
                                          "torch.amax(x)",
                                          "torch.amax(x, 1)",
                                          "torch.amax(x, [0, -1], keepdim=True)",
                                          "torch.amin(x, ())",
                                          "torch.amin(x, [1, 2])",
                                          "torch.aminmax(x)",
                                          "torch.aminmax(x, dim=1)",
                                          "torch.aminmax(x, dim=-1, keepdim=True)",
                                          "torch.argmax(x)",
                                          "torch.argmax(x, 1)",
                                          "torch.argmax(x, -1, keepdim=True)",
                                          "torch.argmin(x)",
                                          "torch.argmin(x, 0)",
                                          "torch.argmin(x, None, keepdim=True)"};
  for (const DType dtype : {DType::f32, DType::f64, DType::f16, DType::i64, DType::i32, DType::u8})
    check_each(forms, {randint({2, 3, 4}, 0, 50, 4, dtype)});
  check_each({"torch.max(x)", "torch.min(x)", "torch.amax(x, 1)", "torch.amin(x, 0)",
              "torch.max(x, 1)[0]", "torch.aminmax(x, dim=0)"},
             {values({2, 2}, {0, 1, 0, 0}, DType::boolean)});
}

TEST_CASE("the first of several extremes is found") {
  check_each({"torch.argmax(x, 1)", "torch.argmin(x, 1)", "torch.max(x, 1)", "torch.min(x, 1)"},
             {values({2, 4}, {1, 3, 3, 1, 0, 0, 0, 0})});
}

TEST_CASE("an index over all elements counts in the order of the axes, however they were made") {
  check_each({"torch.argmax(x.transpose(0, 2))", "torch.argmin(x.permute(1, 2, 0), keepdim=True)",
              "torch.argmax(torch.unsqueeze(x.mT, 0) * 2)"},
             {randn({3, 4, 5}, 22)});
}

TEST_CASE("any and all, of every dtype") {
  const std::vector<std::string> forms = {
      "torch.any(x)",         "torch.all(x)",
      "torch.any(x, 1)",      "torch.all(x, -1, keepdim=True)",
      "torch.any(x, [0, 1])", "torch.all(x, [0, -1], keepdim=True)",
      "torch.any(x, ())",     "torch.all(x, ())"};
  for (const DType dtype : {DType::boolean, DType::f32, DType::i64, DType::u8, DType::f16})
    check_each(forms, {values({3, 2}, {0, 1, 1, 1, 0, 0}, dtype)});
  check_each(forms, {values({3, 2}, {0, 0.25, 0.5, 100, 0, 0})});
}

TEST_CASE("variances with every correction") {
  check_each({"torch.var(x)", "torch.var(x, unbiased=False)", "torch.var(x, 1)",
              "torch.var(x, [0, 2], unbiased=False, keepdim=True)", "torch.var(x, 1, correction=0)",
              "torch.var(x, [1, -1], correction=3, keepdim=True)",
              "torch.var(x, None, correction=2)", "torch.std(x)", "torch.std(x, unbiased=False)",
              "torch.std(x, -1)", "torch.std(x, 1, correction=0)", "torch.var_mean(x)",
              "torch.var_mean(x, 1)", "torch.var_mean(x, [0, 1], correction=0, keepdim=True)",
              "torch.std_mean(x)", "torch.std_mean(x, 2, unbiased=False)", "torch.var(x[:, :1], 1)",
              "torch.var(x, 0, correction=2)"},
             {kX});
}

TEST_CASE("norms of every order") {
  check_each({"torch.norm(x)",
              "torch.norm(x, 1)",
              "torch.norm(x, 3)",
              "torch.norm(x, float('inf'))",
              "torch.norm(x, 2, 1)",
              "torch.norm(x, 1.5, [0, 2], True)",
              "torch.norm(x, 2, [1], False, dtype=7)",
              "torch.linalg_vector_norm(x)",
              "torch.linalg_vector_norm(x, 0)",
              "torch.linalg_vector_norm(x, 0.5, 1)",
              "torch.linalg_vector_norm(x, -float('inf'), [0, 1], True)",
              "torch.linalg_vector_norm(x, float('inf'), -1)",
              "torch.linalg_vector_norm(x, 3, 1, dtype=7)",
              "torch.linalg_norm(x)",
              "torch.linalg_norm(x, dim=[0, 1])",
              "torch.linalg_norm(x, 1, dim=2)",
              "torch.linalg_norm(x, 'fro', dim=[0, 2])",
              "torch.linalg_matrix_norm(x)",
              "x / torch.clamp_min(torch.norm(x, 2.0, [1], True), 1e-12)",
              "torch.frobenius_norm(x, [0, 1])"},
             {kX});
}

TEST_CASE("every reduction keeps its axes, and takes a dtype") {
  check_each({"torch.amin(x, [0, 1], keepdim=True)", "torch.any(x > 1, 1, keepdim=True)",
              "torch.any(x > 2, [0, -1], keepdim=True)", "torch.mean(x, dtype=7)",
              "torch.mean(x, dtype=5)", "torch.prod(x, dtype=7)", "torch.prod(x, dtype=4)",
              "torch.nansum(torch.sqrt(x), [0, 2], keepdim=True)",
              "torch.nansum(torch.sqrt(x), 1, dtype=7)", "torch.nansum(torch.sqrt(x), dtype=5)",
              "torch.nanmean(torch.sqrt(x), 1, dtype=7)", "torch.nanmean(torch.sqrt(x), dtype=5)"},
             {kX}, 2e-3);
  check_each({"torch.mean(x, dtype=6)", "torch.prod(x, dtype=6)", "torch.nansum(x, 1, dtype=6)",
              "torch.nanmean(x.float(), 1, dtype=7)"},
             {randint({2, 3}, -9, 9, 2)});
}

TEST_CASE("variances and their means in every form") {
  for (const std::string f : {"torch.std", "torch.var", "torch.std_mean", "torch.var_mean"})
    check_each({f + "(x, False)", f + "(x, True)", f + "(x, [0, 2], False, True)",
                f + "(x, -1, True, True)", f + "(x, [1, 2], False)",
                f + "(x, [0, -1], correction=2, keepdim=True)", f + "(x, 1, correction=0.5)",
                f + "(x, None, correction=0)"},
               {kX});
}

TEST_CASE("norms that keep their axes, and take a dtype") {
  check_each({"torch.frobenius_norm(x, [0, -1], True)", "torch.frobenius_norm(x, [1], True)",
              "torch.linalg_norm(x, None, [0, 2], True, dtype=7)",
              "torch.linalg_norm(x, 3, [1], True, dtype=7)",
              "torch.linalg_norm(x, 'fro', [0, 2], True, dtype=7)",
              "torch.linalg_matrix_norm(x, 'fro', [0, 2], True, dtype=7)",
              "torch.linalg_matrix_norm(x, 'fro', [2, 0])", "torch.norm(x, 3, dtype=7)",
              "torch.norm(x, None, dtype=7)"},
             {kX});
  check_each({"torch.linalg_norm(x, dtype=6)", "torch.norm(x, 1, dtype=7)"},
             {randn({2, 3}, 4, DType::f16)}, 1e-5);
}

TEST_CASE("distances") {
  check_each({"torch.dist(x, y)", "torch.dist(x, y, 1)", "torch.pairwise_distance(x, y)",
              "torch.pairwise_distance(x, y, 1.0, 1e-3, True)", "torch.cosine_similarity(x, y)",
              "torch.cosine_similarity(x, y, -1)", "torch.cosine_similarity(x, 0 * y, 0)",
              "torch.cosine_similarity(x, y, 1, eps=2.0)", "torch.cosine_similarity(x, y, 2, 1.5)"},
             {randn({2, 3, 4}, 5), randn({3, 4}, 6)});
}

TEST_CASE("distances of all pairs of rows") {
  check_each({"torch.cdist(x, y)", "torch.cdist(x, y, 1.0)", "torch.cdist(x, y, float('inf'))",
              "torch.cdist(x, y, 2.0, compute_mode=1)", "torch.cdist(x, y, 3.0, 2)",
              "torch.cdist(x[0], y[1])"},
             {randn({2, 3, 4}, 8), randn({2, 5, 4}, 9)});
}

TEST_CASE("logarithms of sums") {
  check_each({"torch.logsumexp(x, 1)", "torch.logsumexp(x, [0, -1], keepdim=True)",
              "torch.logsumexp(x, [0, 1, 2])", "torch.logsumexp(1000 * x, 2)"},
             {kX});
  check_each({"torch.logsumexp(x, 1)"}, {values({3, 2}, {-kInf, -kInf, kInf, 1, -kInf, 2})});
  check_each({"torch.logsumexp(x, 1)"}, {values({2, 2}, {1e39, 1e39, -1e39, -1e39}, DType::f64)});
}

TEST_CASE("running sums along every axis") {
  check_each({"torch.cumsum(x, 0)", "torch.cumsum(x, 1)", "torch.cumsum(x, -1)",
              "torch.cumsum(x, 1, dtype=7)", "torch.cumsum(x > 0, 1)"},
             {kX});
  check_each({"torch.cumsum(x, 0)"}, {randn({5}, 7)});
}

TEST_CASE("running products and extremes along every axis") {
  check_each({"torch.cumprod(x, 0)", "torch.cumprod(x, 1)", "torch.cumprod(x, -1)",
              "torch.cumprod(x, 1, dtype=7)", "torch.cummax(x, 1)", "torch.cummin(x, -1)",
              "torch.cummax(x, 0)", "torch.logcumsumexp(x, 1)", "torch.logcumsumexp(100 * x, -1)"},
             {kX});
  check_each({"torch.cummax(x, 0)", "torch.cummin(x, 0)", "torch.cumprod(x, 0)"},
             {values({6}, {1, 3, 3, 1, 0, 3}, DType::i64)});
  check_each({"torch.cumprod(x, 0)", "torch.cummax(x, 0)", "torch.logcumsumexp(x, 0)"},
             {values({}, {2})});
}

TEST_CASE("reductions of rank 0") {
  check_each({"torch.sum(x)",
              "torch.sum(x, 0)",
              "torch.sum(x, -1, keepdim=True)",
              "torch.mean(x)",
              "torch.prod(x)",
              "torch.max(x)",
              "torch.max(x, 0)",
              "torch.min(x, 0, keepdim=True)",
              "torch.amax(x)",
              "torch.argmax(x)",
              "torch.argmax(x, 0)",
              "torch.any(x)",
              "torch.all(x, 0)",
              "torch.std(x, unbiased=False)",
              "torch.norm(x)",
              "torch.cumsum(x, 0)",
              "torch.logsumexp(x, 0)",
              "torch.linalg_vector_norm(x, 0)",
              "torch.aminmax(x)",
              "torch.count_nonzero(x)"},
             {values({}, {-2.5})});
}

TEST_CASE("matrix norms by number are refused") {
  CHECK_EQ(refusal("torch.linalg_norm(x, 2)", {randn({3, 3}, 1)}),
           "error[unsupported-argument]: aten::linalg_norm: ord=2 has no translation for "
           "tract@0.23.9\n"
           "  --> the model (Model)\n"
           "  why:  NNEF has no matrix decompositions\n"
           "  help: use the Frobenius norm, 1 or infinity\n");
}

}  // namespace
}  // namespace t2n::test::reduce_tests
