// SPDX-License-Identifier: Apache-2.0
// Reductions, products of matrices and normalisations: NNEF 1.0.5 §4.4, §4.7, §4.9.
#include <doctest/doctest.h>

#include "tests/interp/standard.h"
#include "tests/support/script.h"

namespace t2n::test {
namespace {

using ir::DType;

const ir::Tensor kUnsorted = values({2, 3}, {1, 5, 5, 7, 0, 2});

TEST_CASE("sums, means and extremes keep their axes") {
  check_everywhere("sum_reduce(x, axes = [1])", kUnsorted, values({2, 1}, {11, 9}));
  check_everywhere("sum_reduce(x, axes = [0, 1], normalize = true)", kUnsorted,
                   values({1, 1}, {20.0 / 6}));
  check_everywhere("mean_reduce(x, axes = [0])", kUnsorted, values({1, 3}, {4, 2.5, 3.5}));
  check_everywhere("max_reduce(x, axes = [1])", kUnsorted, values({2, 1}, {5, 7}));
  check_everywhere("min_reduce(x, axes = [0])", kUnsorted, values({1, 3}, {1, 0, 2}));
  check_everywhere("sum_reduce(x, axes = [])", kUnsorted, kUnsorted);
  check_call("max_reduce(x, axes = [])", values({}, {3}), values({}, {3}));
}

TEST_CASE("the first of several winners") {
  check_everywhere("argmax_reduce(x, axes = [1])", kUnsorted, values({2, 1}, {1, 0}, DType::i64));
  check_everywhere("argmin_reduce(x, axes = [0])", kUnsorted,
                   values({1, 3}, {0, 1, 1}, DType::i64));
  check_everywhere("argmax_reduce(x, axes = [0, 1])", kUnsorted, values({1, 1}, {3}, DType::i64));
}

TEST_CASE("any and all") {
  const ir::Tensor x = values({2, 2}, {1, 0, 1, 1}, DType::boolean);
  check_everywhere("any_reduce(x, axes = [1])", x, values({2, 1}, {1, 1}, DType::boolean));
  check_everywhere("all_reduce(x, axes = [1])", x, values({2, 1}, {0, 1}, DType::boolean));
  check_call("all_reduce(x, axes = [0, 1])", x, values({1, 1}, {0}, DType::boolean));
}

TEST_CASE("reductions of whole numbers in tract") {
  const ir::Tensor x = values({3}, {-3, 4, -6}, DType::i32);
  check_agree({"out = sum_reduce(x, axes = [0]);", {x}}, {values({1}, {-5}, DType::i32)});
  check_agree({"out = mean_reduce(x, axes = [0]);", {x}}, {values({1}, {-1}, DType::i32)});
  check_agree({"out = max_reduce(x, axes = [0]);", {values({2}, {3, 250}, DType::u8)}},
              {values({1}, {250}, DType::u8)});
  check_agree({"out = argmin_reduce(x, axes = [0]);", {x}}, {values({1}, {2}, DType::i64)});
}

TEST_CASE("moments have the biased variance") {
  const Statements statements = {"(out, out2) = moments(x, axes = [1]);",
                                 {values({2, 2}, {1, 3, 2, 8})}};
  check_standard(statements, {values({2, 1}, {2, 5}), values({2, 1}, {1, 9})});
  check_agree(statements, {values({2, 1}, {2, 5}), values({2, 1}, {1, 9})});
}

TEST_CASE("missing axes") {
  check_standard_refused({"out = sum_reduce(x, axes = [2]);", {kUnsorted}},
                         "there is no axis 2 of 2");
  check_standard_refused({"out = sum_reduce(x, axes = [-1]);", {kUnsorted}},
                         "there is no axis -1 of 2");
  check_standard_refused({"out = sum_reduce(x, axes = [0, 0]);", {kUnsorted}},
                         "'axes' names an axis twice");
}

TEST_CASE("products of matrices, transposed or not, batches broadcast") {
  const ir::Tensor a = values({2, 3}, {1, 2, 3, 4, 5, 6});
  const ir::Tensor b = values({3, 1}, {1, 10, 100});
  const auto check = [](const std::string& call, const ir::Tensor& x, const ir::Tensor& y,
                        const ir::Tensor& expected) {
    check_standard({"out = " + call + ";", {x, y}}, {expected});
    check_agree({"out = " + call + ";", {x, y}}, {expected});
  };
  check("matmul(x, y)", a, b, values({2, 1}, {321, 654}));
  check("matmul(y, x, transposeA = true, transposeB = true)", a, b, values({1, 2}, {321, 654}));
  check("matmul(x, y, transposeB = true)", a, values({1, 3}, {1, 10, 100}),
        values({2, 1}, {321, 654}));
  check("matmul(x, y)", values({2, 1, 1}, {1, 2}), values({1, 1, 2}, {3, 4}),
        values({2, 1, 2}, {3, 4, 6, 8}));
  check("linear(x, y)", a, values({1, 3}, {1, 10, 100}), values({2, 1}, {321, 654}));
  const Statements biased = {"out = linear(x, y, z);",
                             {a, values({1, 3}, {1, 10, 100}), values({1, 1}, {1000})}};
  check_standard(biased, {values({2, 1}, {1321, 1654})});
  check_agree(biased, {values({2, 1}, {1321, 1654})});
  check_standard_refused({"out = matmul(x, y);", {a, values({3}, {1, 2, 3})}},
                         "matmul of [2,3] and [3]");
  check_agree({"out = matmul(x, y);",
               {values({1, 2}, {100, 100}, DType::i32), values({2, 1}, {2, 3}, DType::i32)}},
              {values({1, 1}, {500}, DType::i32)});
}

const ir::Tensor kPlanes = values({1, 3, 2}, {1, 2, 3, 4, 5, 6});

TEST_CASE("normalisations over windows, which are padded with zeros that count") {
  check_call("local_response_normalization(x, size = [1, 3, 1], alpha = 2.0)", kPlanes,
             values({1, 3, 2}, {0.361158, 0.528271, 0.608164, 0.646058, 1.027783, 1.004662}));
  check_everywhere("local_mean_normalization(x, size = [1, 1, 2])", kPlanes,
                   values({1, 3, 2}, {-0.5, 1, -0.5, 2, -0.5, 3}));
  check_everywhere("local_variance_normalization(x, size = [1, 1, 2], bias = 0.5, epsilon = 1.0)",
                   kPlanes,
                   values({1, 3, 2}, {0.480506, 1.044815, 0.743396, 1.201769, 0.830195, 1.265118}));
  check_everywhere(
      "local_contrast_normalization(x, size = [1, 1, 2], epsilon = 0.25)", kPlanes,
      values({1, 3, 2}, {-0.632456, 1.414214, -0.342997, 1.414214, -0.232495, 1.414214}));
}

TEST_CASE("tract's windows leave the channels alone") {
  check_agree({"out = local_response_normalization(x, size = [1, 1, 2], alpha = 2.0);", {kPlanes}},
              {values({1, 3, 2}, {0.408248, 0.894427, 0.588348, 0.970143, 0.635001, 0.986394})},
              1e-5);
  check_same({"out = local_response_normalization(x, size = [1, 3, 1], alpha = 2.0);", {kPlanes}});
}

TEST_CASE("normalisations over axes") {
  check_everywhere("l1_normalization(x, axes = [1], bias = 1.0)", kPlanes,
                   values({1, 3, 2}, {0.1, 0.153846, 0.3, 0.307692, 0.5, 0.461538}));
  check_everywhere("l2_normalization(x, axes = [2], epsilon = 5.0)", kPlanes,
                   values({1, 3, 2}, {0.2, 0.4, 0.6, 0.8, 0.640184, 0.768221}));
}

TEST_CASE("batch normalisation, its parameters by channel") {
  const std::string body =
      "m = mul(y, 1.0); v = sub(mul(m, m), 1.0); o = mul(m, 10.0);\n"
      "  out = batch_normalization(x, m, v, o, m, epsilon = 1.0);";
  const Statements statements = {body, {kPlanes, values({1, 3}, {1, 2, 3})}};
  const ir::Tensor expected = values({1, 3, 2}, {10, 11, 21, 22, 32, 33});
  check_standard(statements, {expected});
  check_agree(statements, {expected}, 1e-5);
}

}  // namespace
}  // namespace t2n::test
