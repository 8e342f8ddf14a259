// SPDX-License-Identifier: Apache-2.0
// Sizes that stay open: convolutions, pools and interpolation over symbolic spatial axes.
#include <doctest/doctest.h>

#include "tests/ops/expressions.h"
#include "tests/support/dynamic.h"

namespace t2n::test::dynamic_spatial_tests {
namespace {

const std::vector<Sizes> kSizes = {{{"B", 2}, {"H", 8}, {"W", 6}},
                                   {{"B", 1}, {"H", 5}, {"W", 7}},
                                   {{"B", 3}, {"H", 9}, {"W", 12}}};
const OpenInput kX{{"B", "4", "H", "W"}};
const OpenInput kLine{{"B", "4", "H"}};

TEST_CASE("convolutions") {
  const ir::Tensor weight = randn({6, 4, 3, 3}, 1), bias = randn({6}, 2);
  const ir::Tensor depthwise = randn({4, 1, 3, 3}, 3), back = randn({4, 5, 3, 3}, 4);
  check_open_with({{"weight", weight}, {"bias", bias}, {"depthwise", depthwise}, {"back", back}},
                  {
                      "torch.conv2d(x, self.weight, self.bias)",
                      "torch.conv2d(x, self.weight, self.bias, [1, 1], [1, 1])",
                      "torch.conv2d(x, self.weight, self.bias, [2, 2], [1, 1])",
                      "torch.conv2d(x, self.weight, None, [2, 1], [2, 1], [2, 1])",
                      "torch.conv2d(x, self.depthwise, None, [1, 1], [1, 1], [1, 1], 4)",
                      "torch.conv2d(x, self.weight, self.bias, [1, 1], 'same')",
                      "torch.conv2d(torch.relu(torch.conv2d(x, self.depthwise, None, 2, 1, 1, 4)), "
                      "self.weight, "
                      "self.bias, 2, 1)",
                      "torch.conv2d(x, self.weight, self.bias, 2, 1).flatten(2).transpose(1, 2)",
                      "torch.conv_transpose2d(x, self.back)",
                      "torch.conv_transpose2d(x, self.back, None, 2, 1)",
                      "torch.conv_transpose2d(x, self.back, None, 2, 1, 1)",
                      "torch.conv_transpose2d(x, self.back, self.bias[:5], 2, 0, 1)",
                      "torch.conv_transpose2d(x, self.back, None, [2, 1], [1, 0], [1, 0])",
                  },
                  {kX}, kSizes, 1e-4);
}

TEST_CASE("convolutions of sequences") {
  const ir::Tensor weight = randn({6, 4, 3}, 1), bias = randn({6}, 2);
  check_open_with({{"weight", weight}, {"bias", bias}},
                  {
                      "torch.conv1d(x, self.weight, self.bias, 1, 1)",
                      "torch.conv1d(x, self.weight, self.bias, 2, 1)",
                      "torch.conv1d(torch.pad(x, [2, 0]), self.weight, self.bias)",
                      "torch.conv1d(x, self.weight, self.bias, 1, 1).transpose(1, 2) + 1",
                      "torch.conv1d(x, self.weight, self.bias, 1, 1)[:, :4] + x",
                      "torch.conv1d(x, self.weight, self.bias, 1, 2, 2)[:, :4] + x",
                  },
                  {kLine}, kSizes, 1e-4);
}

TEST_CASE("pools over any number of channels") {
  const std::vector<Sizes> sizes = {
      {{"B", 2}, {"C", 3}}, {{"B", 1}, {"C", 1}}, {{"B", 4}, {"C", 7}}};
  check_open({"torch.max_pool1d(x, 2)", "torch.max_pool1d(x, 3, 2, 1, ceil_mode=True)",
              "torch.avg_pool1d(x, 2)", "torch.avg_pool1d(x, 3, 2, 1)",
              "torch.adaptive_avg_pool1d(x, 2)", "torch.adaptive_avg_pool1d(x, 3)",
              "torch.adaptive_max_pool1d(x, 2)[0]", "torch.adaptive_max_pool1d(x, 3)[0]"},
             {OpenInput{{"C", "8"}}}, sizes, 1e-4);
  check_open({"torch.max_pool2d(x, 2)", "ops.aten.max_pool2d_with_indices(x, [2, 2])[1]",
              "torch.avg_pool2d(x, 3, 2, 1)", "torch.adaptive_avg_pool2d(x, [2, 3])",
              "torch.adaptive_max_pool2d(x, [2, 4])[1]"},
             {OpenInput{{"C", "6", "8"}}}, sizes, 1e-4);
  check_open({"torch.max_pool2d(x, 2)", "torch.avg_pool2d(x, 2)",
              "torch.adaptive_avg_pool2d(x, [2, 3])", "torch.max_pool2d(x, 2) + x[:, :, :3, :4]"},
             {OpenInput{{"B", "C", "6", "8"}}}, sizes, 1e-4);
}

TEST_CASE("pools") {
  check_open(
      {
          "torch.max_pool2d(x, 2)",
          "torch.max_pool2d(x, 3, 2, 1)",
          "torch.max_pool2d(x, 2, ceil_mode=True)",
          "torch.max_pool2d(x, 3, 2, 1, ceil_mode=True)",
          "torch.avg_pool2d(x, 2)",
          "torch.avg_pool2d(x, 3, 2, 1)",
          "torch.avg_pool2d(x, 3, 2, 1, False, False)",
          "torch.avg_pool2d(x, 2, 2, 0, True)",
          "torch.adaptive_avg_pool2d(x, 1)",
          "torch.adaptive_avg_pool2d(x, [1, 1]).flatten(1)",
          "torch.adaptive_avg_pool2d(x, [3, 2])",
          "torch.adaptive_avg_pool2d(x, [1, 3])",
          "torch.adaptive_max_pool2d(x, 1)[0]",
          "torch.adaptive_max_pool2d(x, [3, 2])[0]",
          "x.mean([2, 3])",
          "torch.max_pool2d(x, 2).flatten(2)",
      },
      {kX}, kSizes, 1e-4);
}

TEST_CASE("interpolation") {
  check_open(
      {
          "torch.upsample_nearest2d(x, None, [2., 2.])",
          "torch.upsample_nearest2d(x, [2 * x.size(2), 2 * x.size(3)])",
          "torch.upsample_nearest2d(x, [7, 5])",
          "torch.upsample_nearest2d(x, None, [1.5, 0.5])",
          "torch._upsample_nearest_exact2d(x, None, [2., 3.])",
          "torch.upsample_bilinear2d(x, None, False, [2., 2.])",
          "torch.upsample_bilinear2d(x, None, True, [2., 2.])",
          "torch.upsample_bilinear2d(x, [2 * x.size(2), 3 * x.size(3)], False)",
          "torch.upsample_bilinear2d(x, [10, 12], False)",
          "torch.upsample_bilinear2d(x, [10, 12], True)",
          "torch.upsample_linear1d(x.flatten(2), None, False, [2.])",
          "torch.pixel_shuffle(x, 2)",
          "torch.channel_shuffle(x, 2)",
          "torch.cat([torch.upsample_nearest2d(torch.avg_pool2d(x, 1, 1), [x.size(2), x.size(3)]), "
          "x], 1)",
      },
      {kX}, kSizes, 1e-4);
}

TEST_CASE("factors that give equal or double sizes of small images") {
  check_open(
      {
          "torch.upsample_nearest2d(x, None, [1.25, 2.25])",
          "torch.upsample_bilinear2d(x, None, False, [1.25, 1.25])",
          "torch.upsample_bicubic2d(x, None, False, [1.25, 1.25])",
          "torch._upsample_bilinear2d_aa(x, None, False, [1.25, 1.25])",
      },
      {{{"1", "2", "H", "W"}}},
      {{{"H", 8}, {"W", 9}}, {{"H", 3}, {"W", 2}}, {{"H", 2}, {"W", 3}}, {{"H", 3}, {"W", 70}}},
      1e-4);
}

TEST_CASE("upsampling back to the earlier size") {
  const OpenInput even{{"B", "4", "2*H", "2*W"}};
  check_open(
      {
          "torch.upsample_nearest2d(torch.max_pool2d(x, 2), [x.size(2), x.size(3)]) + x",
          "torch.upsample_bilinear2d(torch.max_pool2d(x, 2), [x.size(2), x.size(3)], True) + x",
          "torch.pixel_unshuffle(x, 2)",
      },
      {even}, kSizes, 1e-4);
}

TEST_CASE("columns added up in open batches") {
  check_open({"torch.col2im(x, [5, 6], [2, 3], [1, 1], [0, 0], [1, 1])",
              "torch.col2im(x[:, :, :9], [5, 7], [2, 3], [2, 1], [1, 2], [2, 3])",
              "torch.col2im(x[:, :, :9], [7, 8], [2, 3], [1, 1], [0, 0], [2, 2])"},
             {{{"B", "18", "16"}}}, {{{"B", 2}}, {{"B", 1}}, {{"B", 3}}}, 1e-4);
}

TEST_CASE("adaptive pools to open sizes") {
  check_open({"torch.adaptive_avg_pool2d(x, [x.size(2), 1])",
              "torch.adaptive_max_pool2d(x, [1, x.size(3)])[0]",
              "torch.adaptive_avg_pool2d(x, [y.size(0), 3])",
              "torch.adaptive_max_pool2d(x, [2, y.size(0)])[0]",
              "torch.adaptive_avg_pool1d(x[0], (x.size(3) + 1) // 2)",
              "torch.adaptive_avg_pool2d(y.unsqueeze(0), [x.size(2), 1])"},
             {kX, {{"B", "4", "3"}}}, kSizes, 1e-4);
}

TEST_CASE("pools whose windows are as long as open axes") {
  check_open({"torch.avg_pool2d(x, [x.size(2), x.size(3)])", "torch.max_pool2d(x, [x.size(2), 1])",
              "torch.max_pool2d_with_indices(x, [x.size(2), x.size(3)])[0]",
              "torch.avg_pool2d(x, [x.size(2), 3], [1, 2], [0, 1])",
              "torch.avg_pool2d(x, [x.size(2), 3], [1, 2], [0, 1], False, False)",
              "torch.avg_pool2d(x, [x.size(2), 3], [1, 2], [0, 1], False, True, 5)",
              "torch.max_pool2d(x, [x.size(2) - 1, 3], [1, 2], [0, 1], [1, 2])",
              "torch.avg_pool1d(torch.cat([x[0], x[0]], 2), x.size(3))",
              "torch.max_pool1d(x[0], x.size(3) - 1, 1, ceil_mode=True)"},
             {kX}, kSizes, 1e-4);
}

TEST_CASE("blocks of open images") {
  check_open({"torch.im2col(x, [3, 2], [1, 1], [1, 1], [1, 1])",
              "torch.im2col(x, [2, 3], [2, 1], [1, 2], [2, 3])",
              "torch.col2im(torch.im2col(x, [3, 3], [1, 1], [1, 1], [1, 1]), [x.size(2), "
              "x.size(3)], [3, 3], [1, 1], [1, 1], [1, 1])",
              "torch.col2im(torch.im2col(x, [2, 3], [2, 1], [1, 2], [2, 3]), [x.size(2), "
              "x.size(3)], [2, 3], [2, 1], [1, 2], [2, 3])"},
             {kX}, kSizes, 1e-4);
}

TEST_CASE("frames as strided views") {
  const OpenInput wave{{"B", "H"}};
  check_open({"torch.as_strided(x * 1, [x.size(1) - 4, 5], [1, 1])",
              "torch.as_strided(x * 1, [x.size(0) * x.size(1) // 2, 2], [2, 1])",
              "torch.as_strided(x * 1, [(x.size(1) - 4) // 2 + 1, 3], [2, 1], 1)"},
             {wave}, kSizes);
}

TEST_CASE("grids over open images") {
  check_open({"torch.affine_grid_generator(y, [2, 4, x.size(2), x.size(3)], False)",
              "torch.affine_grid_generator(y, [2, 4, x.size(2), x.size(3)], True)"},
             {kX, {{"2", "2", "3"}}}, kSizes);
  check_open({"torch.affine_grid_generator(y, [1, 4, x.size(2), 2, x.size(3)], True)"},
             {kX, {{"1", "3", "4"}}}, kSizes);
}

TEST_CASE("smooth interpolation of open images") {
  check_open({"torch.upsample_bicubic2d(x, [7, x.size(2)], False)",
              "torch.upsample_bicubic2d(x, [x.size(3), 5], True)",
              "torch.upsample_bicubic2d(x, None, False, [2.0, 1.5])",
              "torch._upsample_bicubic2d_aa(x, [3, x.size(2)], False)",
              "torch._upsample_bilinear2d_aa(x, [x.size(3), 4], True)",
              "torch._upsample_bilinear2d_aa(x, None, False, [0.5, 1.5])"},
             {kX}, kSizes, 1e-4);
}

/// Bytes of an image: in rows, or with the channels side by side.
std::string bytes(bool are_last) {
  const std::string rows = "torch.quantize_per_tensor(x * 2.1, 0.037, 121, 13)";
  return are_last ? "torch.contiguous(" + rows + ", memory_format=2)" : rows;
}

const std::string kBegin = "torch.dequantize(torch.upsample_bilinear2d(";

/// Strict NNEF has no f64, and may be off by a step where channels lie side by side.
double step_of(const target::Target& target) {
  return target.engine == target::Engine::tract ? 1e-5 : 0.038;
}

/// Interpolates images in both orders.
void check_bytes(const std::string& to) {
  check_open({kBegin + bytes(false) + to}, {kX}, kSizes);
  const Script model = expression_script(kBegin + bytes(true) + to, 1);
  const OpenExample example = open_example(model, {kX}, kSizes);
  for (const target::Target& target : test_targets())
    CHECK_EQ(open_differences(example, target, rel(step_of(target))), std::string());
}

TEST_CASE("interpolation of quantised images") {
  check_bytes(", None, False, [2.0, 1.5]))");
  check_bytes(", None, True, [2.0, 3.0]))");
  check_bytes(", [11, 7], False, None))");
  check_bytes(", [x.size(2) + 3, x.size(3) * 2], False, None))");
  // Images in rows that keep their size are copied.
  check_open({kBegin + bytes(false) + ", None, False, [1.125, 1.125]))"}, {kX}, kSizes);
  const std::string odd = kBegin + bytes(false) + ", None, False, [1.3, 1.3]))";
  const Script refused = expression_script(odd, 1);
  CHECK_THROWS_WITH(open_example(refused, {kX}, kSizes),
                    doctest::Contains("of quantised tensors has no translation"));
}

TEST_CASE("norms of quantised images") {
  const std::vector<std::pair<std::string, ir::Tensor>> parameters = {{"w", randn({4}, 5)},
                                                                      {"b", randn({4}, 6)}};
  const std::string q = bytes(false);
  const std::string to = ", 1e-5, 0.03, 121))";
  check_open_with(parameters,
                  {"torch.dequantize(ops.quantized.group_norm(" + q + ", 2, self.w, self.b" + to,
                   "torch.dequantize(ops.quantized.group_norm(" + q + ", 4, None, None" + to,
                   "torch.dequantize(ops.quantized.instance_norm(" + q + ", self.w, self.b" + to,
                   "torch.dequantize(ops.quantized.instance_norm(" + q + ", None, None" + to},
                  {kX}, kSizes);
  check_open({"torch.dequantize(ops.quantized.instance_norm(" + q + ", None, None" + to},
             {OpenInput{{"2", "C", "8", "6"}}}, {{{"C", 3}}, {{"C", 1}}, {{"C", 5}}});
}

}  // namespace
}  // namespace t2n::test::dynamic_spatial_tests
