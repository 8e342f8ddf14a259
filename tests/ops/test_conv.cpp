// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/check_script.h"

namespace t2n::test::conv_tests {
namespace {

using ir::DType;

const ir::Tensor kX1 = randn({2, 4, 9}, 1);
const ir::Tensor kX2 = randn({2, 4, 7, 6}, 2);
const ir::Tensor kX3 = randn({2, 4, 5, 6, 5}, 3);

Parameters parameters(const ir::Ints& weight, int64_t bias, DType dtype = DType::f32) {
  return {{"w", randn(weight, 4, dtype)}, {"b", randn({bias}, 5, dtype)}};
}

TEST_CASE("conv1d with every argument") {
  check_with(
      parameters({6, 2, 3}, 6),
      {"torch.conv1d(x, self.w, self.b, groups=2)", "torch.conv1d(x, self.w, None, groups=2)",
       "torch.conv1d(x, self.w, self.b, [2], [1], [2], 2)",
       "torch.conv1d(x, self.w, self.b, 1, 'same', 2, 2)",
       "torch.conv1d(x, self.w, self.b, 2, 'valid', 1, 2)"},
      {kX1});
}

TEST_CASE("conv2d with every argument") {
  check_with(parameters({6, 2, 3, 2}, 6),
             {"torch.conv2d(x, self.w, self.b, groups=2)",
              "torch.conv2d(x, self.w, self.b, [2, 1], [1, 2], [1, 2], 2)",
              "torch.conv2d(x, self.w, self.b, [1, 1], 'same', [2, 3], 2)",
              "torch.conv2d(x, self.w, None, [1, 2], 'valid', 1, 2)",
              "torch._convolution_mode(x, self.w, self.b, [1, 1], 'same', [1, 1], 2)"},
             {kX2});
}

TEST_CASE("conv3d with every argument") {
  check_with(parameters({6, 2, 3, 2, 3}, 6),
             {"torch.conv3d(x, self.w, self.b, [2, 1, 1], [1, 0, 1], [1, 1, 2], 2)",
              "torch.conv3d(x, self.w, self.b, 1, 'same', [1, 2, 1], 2)",
              "torch.conv3d(x, self.w, None, [2, 1, 2], 'valid', [1, 2, 1], 2)"},
             {kX3});
}

TEST_CASE("depthwise and unbatched convolutions") {
  check_with(parameters({8, 1, 3, 3}, 8), {"torch.conv2d(x, self.w, self.b, groups=4)"}, {kX2});
  check_with(parameters({6, 4, 3}, 6), {"torch.conv1d(x, self.w, self.b)"}, {randn({4, 9}, 6)});
  check_with(parameters({6, 4, 3, 3}, 6), {"torch.conv2d(x, self.w, self.b, padding=1)"},
             {randn({4, 7, 6}, 6)});
  check_with(parameters({4, 6, 3, 3}, 6), {"torch.conv_transpose2d(x, self.w, self.b)"},
             {randn({4, 7, 6}, 6)});
}

TEST_CASE("weights that the model computes") {
  check_each({"torch.conv2d(x, y, None, [2, 1], [1, 0], [1, 1], 2)",
              "torch.conv2d(x, y * 2, y.sum([1, 2, 3]), [1, 1], [0, 0], [2, 1], 2)"},
             {kX2, randn({6, 2, 3, 3}, 7)});
  check_each({"torch.conv_transpose2d(x, y, None, [2, 1], [1, 0], [1, 0], 2)"},
             {kX2, randn({4, 3, 3, 2}, 7)});
}

TEST_CASE("conv_transpose with every argument") {
  check_with(parameters({4, 3, 3}, 6),
             {"torch.conv_transpose1d(x, self.w, self.b, [2], [1], [1], 2, [2])",
              "torch.conv_transpose1d(x, self.w, None, 1, 0, 0, 2, 1)"},
             {kX1});
  check_with(parameters({4, 3, 3, 2}, 6),
             {"torch.conv_transpose2d(x, self.w, self.b, groups=2)",
              "torch.conv_transpose2d(x, self.w, self.b, [3, 2], [1, 0], [1, 1], 2, [1, 2])",
              // More output padding than padding.
              "torch.conv_transpose2d(x, self.w, self.b, [3, 3], [0, 0], [2, 1], 2)"},
             {kX2});
  check_with(
      parameters({4, 6, 3, 2, 3}, 6),
      {"torch.conv_transpose3d(x, self.w, self.b, [2, 1, 1], [1, 0, 1], [1, 0, 0], 1, [1, 1, 2])"},
      {kX3});
  check_with(parameters({4, 3, 3, 2, 3}, 6),
             {"torch.conv_transpose3d(x, self.w, self.b, 2, 1, [1, 0, 1], 2, [1, 1, 2])"}, {kX3});
}

TEST_CASE("the operators behind traced modules") {
  const std::string flags = ", False, False, True, True)";
  check_with(
      parameters({6, 2, 3, 3}, 6),
      {"torch._convolution(x, self.w, self.b, [2, 1], [1, 1], [1, 1], False, [0, 0], 2" + flags,
       "torch._convolution(x, self.w, self.b, [2, 1], [1, 1], [1, 1], False, [0, 0], 2, False, "
       "False, True)",
       "torch.convolution(x, self.w, None, [1, 1], [1, 1], [2, 1], False, [0, 0], 2)"},
      {kX2});
  check_with(
      parameters({4, 3, 3, 3}, 6),
      {"torch._convolution(x, self.w, self.b, [2, 2], [1, 1], [1, 1], True, [1, 0], 2" + flags},
      {kX2});
}

TEST_CASE("conv_tbc counts time first") {
  check_with({{"w", randn({3, 4, 5}, 8)}, {"b", randn({5}, 9)}},
             {"torch.conv_tbc(x, self.w, self.b)", "torch.conv_tbc(x, self.w, self.b, 1)"},
             {randn({7, 2, 4}, 10)});
}

TEST_CASE("halves accumulate in f32; doubles") {
  check_with(parameters({16, 64, 3, 3}, 16, DType::f16), {"torch.conv2d(x, self.w, self.b)"},
             {randn({1, 64, 5, 5}, 11, DType::f16)}, 1e-3);
  // LibTorch rounds partial sums of 576 products to halves on some processors: 0.012 off, where
  // values reach 70.
  check_with(parameters({64, 16, 3, 3}, 16, DType::f16),
             {"torch.conv_transpose2d(x, self.w, self.b)"}, {randn({1, 64, 5, 5}, 11, DType::f16)},
             3e-2);
  check_with(parameters({6, 2, 3, 3}, 6, DType::f64), {"torch.conv2d(x, self.w, self.b, groups=2)"},
             {randn({2, 4, 7, 6}, 12, DType::f64)}, 1e-12);
}

TEST_CASE("integers are refused") {
  CHECK_EQ(export_error(
               with_parameters("torch.conv1d(x, self.w)", 1, {{"w", randint({2, 1, 3}, -3, 4, 1)}}),
               {randint({1, 1, 5}, -3, 4, 2)}, newest_target()),
           "error[unsupported-op]: aten::conv1d has no translation for tract@0.23.9 here\n"
           "  --> the model (Model)\n"
           "  why:  tract supports integer convolutions only of quantised tensors\n"
           "  help: compute the convolution in float32\n");
}

}  // namespace
}  // namespace t2n::test::conv_tests
