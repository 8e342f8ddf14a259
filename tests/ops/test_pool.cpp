// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/check_script.h"

namespace t2n::test::pool_tests {
namespace {

using ir::DType;

const ir::Tensor kX1 = randn({2, 3, 9}, 1);
const ir::Tensor kX2 = randn({2, 3, 7, 6}, 2);
const ir::Tensor kX3 = randn({1, 2, 5, 6, 7}, 3);
/// Many equal values: the first position must win.
const ir::Tensor kTies = randint({2, 3, 9, 8}, 0, 3, 4, DType::f32);

TEST_CASE("max_pool with every argument") {
  check_each({"torch.max_pool1d(x, 3)", "torch.max_pool1d(x, [2], [3], [1], [2], True)",
              "torch.max_pool1d(x, 4, 3, 2, 1, True)"},
             {kX1});
  check_each({"torch.max_pool2d(x, [3, 2])", "torch.max_pool2d(x, 3, 2, 1)",
              "torch.max_pool2d(x, [3, 3], [2, 2], [1, 1], [1, 1], True)",
              "torch.max_pool2d(x, [2, 3], [3, 1], [0, 1], [2, 1], True)"},
             {kX2});
  check_each(
      {"torch.max_pool3d(x, 2)", "torch.max_pool3d(x, [2, 3, 2], [2, 2, 3], [1, 1, 0], 1, True)",
       "torch.max_pool3d(x, 2, 1, 0, [1, 2, 3])"},
      {kX3});
}

TEST_CASE("positions of maxima") {
  check_each({"torch.max_pool2d_with_indices(x, 3, 2, 1)",
              "torch.max_pool2d_with_indices(x, 3, 2, 1, 2, True)"},
             {kTies});
  check_each({"torch.max_pool1d_with_indices(x, 3, 2, 1)",
              "torch.max_pool1d_with_indices(x, 3, 2, 1, 2, True)"},
             {randint({2, 3, 9}, 0, 3, 5, DType::f32)});
  check_each({"torch.max_pool3d_with_indices(x, 2, 2, 1)[1]",
              "torch.max_pool3d_with_indices(x, 2, [2, 3, 2], 1, [1, 2, 3], True)"},
             {kX3});
}

TEST_CASE("max_unpool puts values back") {
  check_each({"torch.max_unpool2d(x, torch.max_pool2d_with_indices(y, 2)[1], [7, 6])"},
             {randn({2, 3, 3, 3}, 6), kX2});
  check_each({"torch.max_unpool3d(x, torch.max_pool3d_with_indices(y, 2)[1], [5, 6, 7], [2, 2, 2], "
              "[0, 0, 0])"},
             {randn({1, 2, 2, 3, 3}, 6), kX3});
}

TEST_CASE("avg_pool with every argument") {
  check_each(
      {"torch.avg_pool1d(x, 3)", "torch.avg_pool1d(x, [3], [2], [1], False, True)",
       "torch.avg_pool1d(x, 4, 3, 2, True, False)", "torch.avg_pool1d(x, 4, 3, 2, True, True)"},
      {kX1});
  check_each({"torch.avg_pool2d(x, [3, 2])", "torch.avg_pool2d(x, 3, 2, 1)",
              "torch.avg_pool2d(x, 3, 2, 1, True)", "torch.avg_pool2d(x, 3, 2, 1, False, False)",
              "torch.avg_pool2d(x, 3, 2, 1, True, False)",
              "torch.avg_pool2d(x, [2, 3], [2, 1], [1, 0], False, True, 5)",
              "torch.avg_pool2d(x, 3, 2, 1, True, False, 4)"},
             {kX2});
  check_each({"torch.avg_pool3d(x, 2)", "torch.avg_pool3d(x, [2, 3, 2], 2, [1, 1, 0])",
              "torch.avg_pool3d(x, [2, 3, 2], 2, [1, 1, 0], True, False)",
              "torch.avg_pool3d(x, 2, 2, 1, True, True, 3)"},
             {kX3});
}

TEST_CASE("adaptive pools with sizes that divide evenly, and others") {
  check_each({"torch.adaptive_avg_pool1d(x, 1)", "torch.adaptive_avg_pool1d(x, 3)",
              "torch.adaptive_avg_pool1d(x, 4)", "torch.adaptive_avg_pool1d(x, 12)",
              "torch.adaptive_max_pool1d(x, 3)", "torch.adaptive_max_pool1d(x, 4)"},
             {kX1});
  check_each({"torch.adaptive_avg_pool2d(x, [1, 1])", "torch.adaptive_avg_pool2d(x, [7, 2])",
              "torch.adaptive_avg_pool2d(x, [3, 4])", "torch.adaptive_avg_pool2d(x, [9, 6])",
              "torch.adaptive_max_pool2d(x, [1, 1])", "torch.adaptive_max_pool2d(x, [7, 3])",
              "torch.adaptive_max_pool2d(x, [3, 4])", "torch.adaptive_max_pool2d(x, [3, 4])[0]"},
             {kX2});
  check_each({"torch.adaptive_avg_pool3d(x, [5, 3, 1])", "torch.adaptive_avg_pool3d(x, [2, 4, 3])",
              "torch.adaptive_max_pool3d(x, [2, 4, 3])"},
             {kX3});
  check_each({"torch.adaptive_max_pool2d(x, [4, 3])"}, {kTies});
}

TEST_CASE("pools without a batch axis") {
  check_each({"torch.max_pool1d(x, 3)", "torch.avg_pool1d(x, 3, 2, 1)",
              "torch.adaptive_avg_pool1d(x, 4)", "torch.adaptive_max_pool1d(x, 4)"},
             {randn({3, 9}, 7)});
  check_each({"torch.max_pool2d(x, 3, 2, 1)", "torch.max_pool2d_with_indices(x, 3, 2, 1, 1, True)",
              "torch.avg_pool2d(x, 3, 2, 1, True)", "torch.adaptive_avg_pool2d(x, [3, 1])",
              "torch.adaptive_max_pool2d(x, [3, 4])"},
             {randn({3, 7, 6}, 8)});
}

TEST_CASE("pools of other dtypes") {
  const ir::Tensor half = randn({2, 3, 7, 6}, 9, DType::f16);
  check_each({"torch.max_pool2d(x, 3, 2, 1)", "torch.avg_pool2d(x, 3, 2, 1)",
              "torch.adaptive_avg_pool2d(x, [3, 4])", "torch.adaptive_max_pool2d(x, [3, 4])"},
             {half}, 1e-3);
  const ir::Tensor wide = randn({2, 3, 7, 6}, 9, DType::f64);
  check_each(
      {"torch.max_pool2d(x, 3, 2, 1)", "torch.avg_pool2d(x, 3, 2, 1, True)",
       "torch.avg_pool2d(x, 3, 2, 1, True, True, 7)", "torch.adaptive_avg_pool2d(x, [3, 4])"},
      {wide}, 1e-12);
  for (const DType dtype : {DType::i64, DType::i32, DType::u8})
    check_each({"torch.max_pool2d_with_indices(x, 3, 2, 1, 1, True)"},
               {randint({2, 3, 7, 6}, 0, 90, 10, dtype)});
}

TEST_CASE("means of integers lose their fraction") {
  check_each({"torch.avg_pool2d(x, 2)", "torch.avg_pool2d(x, [3, 2], [1, 2], [1, 0], True, False)",
              "torch.avg_pool2d(x, 2, 1, 1, False, True)",
              "torch.avg_pool2d(x, 2, divisor_override=3)", "torch.avg_pool3d(x, 2)"},
             {randint({2, 3, 4, 5}, -30, 30, 3)});
}

}  // namespace
}  // namespace t2n::test::pool_tests
