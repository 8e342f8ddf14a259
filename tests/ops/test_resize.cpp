// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/check_script.h"

namespace t2n::test::resize_tests {
namespace {

using ir::DType;

const ir::Tensor kX1 = randn({2, 3, 7}, 1);
const ir::Tensor kX2 = randn({2, 3, 5, 7}, 2);
const ir::Tensor kX3 = randn({1, 2, 3, 4, 5}, 3);

TEST_CASE("nearest, by sizes and by scales") {
  for (const std::string f : {"torch.upsample_nearest", "torch._upsample_nearest_exact"}) {
    check_each({f + "1d(x, [14])", f + "1d(x, [5])", f + "1d(x, [9], 1.3)",
                f + "1d(x, None, [2.5])", f + "1d(x, [3], None)", f + "1d(x, [7])"},
               {kX1});
    check_each({f + "2d(x, [10, 14])", f + "2d(x, [3, 20])", f + "2d(x, [10, 9], 2.0, 1.4)",
                f + "2d(x, None, [2.0, 3.0])", f + "2d(x, None, [0.7, 1.0])"},
               {kX2});
    check_each({f + "3d(x, [6, 4, 7])", f + "3d(x, None, [2.0, 1.5, 0.5])",
                f + "3d(x, [6, 4, 7], 2.1, 1.2, 1.4)"},
               {kX3});
  }
}

TEST_CASE("factors that give equal or double sizes") {
  const auto sized = [](const ir::Ints& shape) { return randn(shape, 4); };
  for (const std::string factors : {"[1.25, 1.25]", "[2.3, 2.3]", "[1.25, 60.0]"}) {
    check_each({cat("torch.upsample_nearest2d(x, None, ", factors, ")"),
                cat("torch._upsample_nearest_exact2d(x, None, ", factors, ")"),
                cat("torch.upsample_bilinear2d(x, None, False, ", factors, ")"),
                cat("torch.upsample_bicubic2d(x, None, False, ", factors, ")"),
                cat("torch._upsample_bilinear2d_aa(x, None, False, ", factors, ")")},
               {sized({1, 2, 3, 3})});
  }
  for (const std::string factor : {"[1.25]", "[2.3]"})
    check_each({cat("torch.upsample_nearest1d(x, None, ", factor, ")"),
                cat("torch.upsample_linear1d(x, None, False, ", factor, ")")},
               {sized({1, 2, 3})});
  check_each({"torch.upsample_nearest3d(x, None, [1.25, 1.25, 2.3])",
              "torch.upsample_trilinear3d(x, None, False, [1.25, 1.25, 2.3])"},
             {sized({1, 2, 3, 3, 3})});
  for (const ir::Ints& shape : {ir::Ints{1, 4, 3, 200}, ir::Ints{1, 3, 3, 200}})
    check_each(
        {"torch.upsample_nearest2d(torch.contiguous(x, memory_format=2), None, [1.25, 2.3])"},
        {sized(shape)});
  // The kernel for few pixels computes places in f32.
  check_each({"torch.upsample_nearest2d(x, [82, 2])", "torch.upsample_nearest2d(x, [82, 60])"},
             {randn({1, 1, 2, 2}, 4, DType::f64)});
}

TEST_CASE("linear along one, two and three axes") {
  for (const std::string align : {"False", "True"}) {
    check_each({"torch.upsample_linear1d(x, [14], " + align + ")",
                "torch.upsample_linear1d(x, [1], " + align + ")",
                "torch.upsample_linear1d(x, [9], " + align + ", 1.35)",
                "torch.upsample_linear1d(x, None, " + align + ", [2.3])",
                "torch.upsample_linear1d(x, [7], " + align + ")"},
               {kX1});
    check_each({"torch.upsample_bilinear2d(x, [10, 14], " + align + ")",
                "torch.upsample_bilinear2d(x, [3, 7], " + align + ")",
                "torch.upsample_bilinear2d(x, None, " + align + ", [2.0, 0.6])",
                "torch.upsample_bilinear2d(x, [12, 9], " + align + ", 2.45, None)",
                "torch.upsample_bilinear2d(x, [12, 9], " + align + ", 2.45, 1.3)"},
               {kX2});
    check_each({"torch.upsample_trilinear3d(x, [6, 3, 9], " + align + ")",
                "torch.upsample_trilinear3d(x, None, " + align + ", [2.0, 2.0, 1.5])",
                "torch.upsample_trilinear3d(x, [6, 3, 9], " + align + ", 2.2, 0.8, 1.9)"},
               {kX3});
  }
}

TEST_CASE("cubic, and with antialiasing") {
  for (const std::string align : {"False", "True"}) {
    check_each({"torch.upsample_bicubic2d(x, [10, 14], " + align + ")",
                "torch.upsample_bicubic2d(x, [3, 4], " + align + ")",
                "torch.upsample_bicubic2d(x, None, " + align + ", [1.7, 2.0])",
                "torch._upsample_bilinear2d_aa(x, [3, 4], " + align + ")",
                "torch._upsample_bilinear2d_aa(x, [9, 2], " + align + ")",
                "torch._upsample_bilinear2d_aa(x, None, " + align + ", [0.4, 1.5])",
                "torch._upsample_bicubic2d_aa(x, [2, 12], " + align + ")",
                "torch._upsample_bicubic2d_aa(x, None, " + align + ", [0.4, 1.5])",
                "torch.upsample_bicubic2d(x, [9, 8], " + align + ", 1.9, 1.2)",
                "torch._upsample_bilinear2d_aa(x, [2, 9], " + align + ", 0.45, 1.35)",
                "torch._upsample_bicubic2d_aa(x, [2, 9], " + align + ", 0.45, 1.35)"},
               {kX2});
  }
  check_each({"torch._upsample_lanczos2d_aa(x, [2, 12], False)",
              "torch._upsample_lanczos2d_aa(x, [2, 9], False, 0.45, 1.35)",
              "torch._upsample_lanczos2d_aa(x, None, False, [0.4, 1.5])",
              "torch._upsample_lanczos2d_aa(x, [3, 4], True)"},
             {kX2});
}

TEST_CASE("resizing of other dtypes") {
  check_each({"torch.upsample_nearest2d(x, [9, 3])", "torch.upsample_bilinear2d(x, [9, 3], False)",
              "torch.upsample_bicubic2d(x, [9, 3], True)"},
             {randn({2, 3, 5, 7}, 4, DType::f16)}, 2e-3);
  check_each({"torch.upsample_nearest2d(x, [9, 3])", "torch.upsample_bilinear2d(x, [9, 3], False)",
              "torch.upsample_bicubic2d(x, [9, 3], True)",
              "torch._upsample_bilinear2d_aa(x, [9, 3], False)"},
             {randn({2, 3, 5, 7}, 4, DType::f64)}, 1e-12);
  check_each({"torch.upsample_nearest2d(x, [9, 3])"},
             {randint({2, 3, 5, 7}, 0, 255, 5, DType::u8)});
}

TEST_CASE("affine grids") {
  check_each({"torch.affine_grid_generator(x, [2, 3, 4, 5], False)",
              "torch.affine_grid_generator(x, [2, 3, 4, 1], True)"},
             {randn({2, 2, 3}, 1)});
  check_each({"torch.affine_grid_generator(x, [2, 1, 3, 4, 5], False)"}, {randn({2, 3, 4}, 1)});
}

TEST_CASE("samples at computed positions") {
  for (const char* mode : {"0", "1", "2"})
    for (const char* padding : {"0", "1", "2"})
      for (const char* align : {"False", "True"}) {
        const std::string call = cat("(x, y, ", mode, ", ", padding, ", ", align, ")");
        check_each({"torch.grid_sampler" + call}, {kX2, uniform({2, 4, 6, 2}, -1.6, 1.6, 6)}, 1e-4);
        if (std::string(mode) == "2") continue;
        check_each({"torch.grid_sampler_3d" + call},
                   {randn({2, 3, 3, 4, 5}, 1), uniform({2, 2, 3, 4, 3}, -1.6, 1.6, 6)}, 1e-4);
      }
  check_each({"torch.grid_sampler_2d(x, y, 0, 1, True)", "torch.grid_sampler_2d(x, y, 0, 2, True)"},
             {randn({1, 2, 1, 3}, 7), uniform({1, 4, 1, 2}, -1.6, 1.6, 8)});
}

TEST_CASE("integers are interpolated by torch's own rules, which are refused") {
  CHECK_EQ(
      refusal("torch.upsample_bilinear2d(x, [9, 3], False)",
              {randint({2, 3, 5, 7}, 0, 255, 5, DType::u8)}),
      "error[unsupported-op]: aten::upsample_bilinear2d has no translation for tract@0.23.9 here\n"
      "  --> the model (Model)\n"
      "  why:  torch interpolates integers with specially rounded weights\n"
      "  help: interpolate in float32\n");
}

}  // namespace
}  // namespace t2n::test::resize_tests
