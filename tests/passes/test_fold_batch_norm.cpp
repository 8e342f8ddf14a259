// SPDX-License-Identifier: Apache-2.0
// What folds, what it is called afterwards, and what stays. Values of every form of layer are
// compared in tests/export/test_pass_steps.cpp.
#include <doctest/doctest.h>

#include "tests/passes/support.h"

namespace t2n::passes {
namespace {

constexpr const char* kBatchNormPass = "fold-batch-norm";

/// Of two channels, both with the factor 1, and the shifts 1 - 3 and -1 - 5.
constexpr std::string_view kNorm =
    "weight=%g, bias=%beta, running_mean=%m, running_var=%v, training=false, momentum=0.1, "
    "eps=0.0, cudnn_enabled=true";
constexpr std::string_view kStatistics =
    "  const %g: f32[2] = {2.0, 4.0}\n  const %beta: f32[2] = {1.0, -1.0}\n"
    "  const %m: f32[2] = {3.0, 5.0}\n  const %v: f32[2] = {4.0, 16.0}\n";

std::string linear_text(std::string_view constants, std::string_view bias,
                        std::string_view norm = kNorm) {
  return cat("graph m(%x: f32[1,1]) -> (%y as \"y\") {\n", kStatistics,
             "  const %fc.weight: f32[2,1] = {10.0, 20.0}\n", constants,
             "  %h: f32[1,2] = aten::linear(input=%x, weight=%fc.weight, bias=", bias,
             ")\n  %y: f32[1,2] = aten::batch_norm(input=%h, ", norm, ")\n}\n");
}

TEST_CASE("a linear layer with a bias takes scale and shift, and gives the norm's value") {
  CHECK(after(kBatchNormPass, linear_text("  const %fc.bias: f32[2] = {7.0, 8.0}\n", "%fc.bias")) ==
        "graph m(%x: f32[1,1]) -> (%y as \"y\") {\n"
        "  const %fc.weight: f32[2,1] = {10.0, 20.0}\n"
        "  const %fc.bias: f32[2] = {5.0, 2.0}\n"
        "  %y: f32[1,2] = aten::linear(input=%x, weight=%fc.weight, bias=%fc.bias) as linear_0\n"
        "}\n");
}

TEST_CASE("without a bias there is one afterwards, beside the weight") {
  CHECK(after(kBatchNormPass, linear_text("", "none")) ==
        "graph m(%x: f32[1,1]) -> (%y as \"y\") {\n"
        "  const %fc.weight: f32[2,1] = {10.0, 20.0}\n"
        "  const %fc.bias: f32[2] = {-2.0, -6.0}\n"
        "  %y: f32[1,2] = aten::linear(input=%x, weight=%fc.weight, bias=%fc.bias) as linear_0\n"
        "}\n");
}

TEST_CASE("a norm without scale and shift") {
  const std::string out = after(
      kBatchNormPass, linear_text("", "none",
                                  "weight=none, bias=none, running_mean=%m, running_var=%v, "
                                  "training=false, momentum=0.1, eps=0.0, cudnn_enabled=true"));
  CHECK(out.find("%fc.weight: f32[2,1] = {5.0, 5.0}\n") != out.npos);
  CHECK(out.find("%fc.bias: f32[2] = {-1.5, -1.25}\n") != out.npos);
}

constexpr std::string_view kConv = ", stride=[1], padding=[0], dilation=[1], groups=1)\n";

std::string shared_text(std::string_view second_reader) {
  return cat("graph m(%x: f32[1,1,4], %z: f32[1,1,4]) -> (%y as \"y\", %u as \"u\") {\n",
             kStatistics, "  const %c.weight: f32[2,1,1] = {1.0, 2.0}\n",
             "  const %c.bias: f32[2] = {0.0, 0.0}\n",
             "  %h: f32[1,2,4] = aten::conv1d(input=%x, weight=%c.weight, bias=%c.bias", kConv,
             "  %y: f32[1,2,4] = aten::batch_norm(input=%h, ", kNorm, ")\n", second_reader, "}\n");
}

TEST_CASE("weights that another layer reads stay as they are for it") {
  const std::string out = after(
      kBatchNormPass, shared_text(cat("  %u: f32[1,2,4] = aten::conv1d(input=%z, weight=%c.weight, "
                                      "bias=%c.bias",
                                      kConv)));
  CHECK(out.find("const %c.weight: f32[2,1,1] = {1.0, 2.0}\n") != out.npos);
  CHECK(out.find("const %c.bias: f32[2] = {0.0, 0.0}\n") != out.npos);
  CHECK(out.find("const %c.bias_2: f32[2] = {-2.0, -6.0}\n") != out.npos);
  CHECK(out.find("%y: f32[1,2,4] = aten::conv1d(input=%x, weight=%c.weight_2, bias=%c.bias_2") !=
        out.npos);
  CHECK(out.find("%u: f32[1,2,4] = aten::conv1d(input=%z, weight=%c.weight, bias=%c.bias,") !=
        out.npos);
}

TEST_CASE("a layer with another reader stays, and so does one with other channels") {
  check_unchanged(kBatchNormPass, shared_text("  %u: f32[1,2,4] = aten::relu(self=%h)\n"));
  // Rank 3: the norm's channels are axis 1, the layer's the last one.
  check_unchanged(kBatchNormPass,
                  cat("graph m(%x: f32[1,2,1]) -> (%y as \"y\") {\n", kStatistics,
                      "  const %w: f32[2,1] = {1.0, 2.0}\n",
                      "  %h: f32[1,2,2] = aten::linear(input=%x, weight=%w, bias=none)\n",
                      "  %y: f32[1,2,2] = aten::batch_norm(input=%h, ", kNorm, ")\n}\n"));
  // Without a batch the convolution's channels are axis 0.
  check_unchanged(kBatchNormPass,
                  cat("graph m(%x: f32[1,2]) -> (%y as \"y\") {\n", kStatistics,
                      "  const %w: f32[2,1,1] = {1.0, 2.0}\n",
                      "  %h: f32[2,2] = aten::conv1d(input=%x, weight=%w, bias=none", kConv,
                      "  %y: f32[2,2] = aten::batch_norm(input=%h, ", kNorm, ")\n}\n"));
}

TEST_CASE("a norm in front of a layer, of its batch, or of unknown numbers stays") {
  check_unchanged(
      kBatchNormPass,
      cat("graph m(%x: f32[1,2,4]) -> (%y as \"y\") {\n", kStatistics,
          "  const %w: f32[1,2,1] = {1.0, 2.0}\n", "  %h: f32[1,2,4] = aten::batch_norm(input=%x, ",
          kNorm, ")\n  %y: f32[1,1,4] = aten::conv1d(input=%h, weight=%w, bias=none", kConv,
          "}\n"));
  check_unchanged(kBatchNormPass,
                  linear_text("", "none",
                              "weight=%g, bias=%beta, running_mean=%m, running_var=%v, "
                              "training=true, momentum=0.1, eps=0.0, cudnn_enabled=true"));
  check_unchanged(kBatchNormPass,
                  linear_text("", "none",
                              "weight=%g, bias=%beta, running_mean=none, running_var=none, "
                              "training=false, momentum=0.1, eps=0.0, cudnn_enabled=true"));
  // Its variance is zero, and so is eps.
  check_unchanged(kBatchNormPass,
                  linear_text("  const %zero: f32[2] = {0.0, 0.0}\n", "none",
                              "weight=%g, bias=%beta, running_mean=%m, running_var=%zero, "
                              "training=false, momentum=0.1, eps=0.0, cudnn_enabled=true"));
}

TEST_CASE("weights that are not loaded, or computed, stay") {
  const auto text = [](std::string_view weight) {
    return cat("graph m(%x: f32[1,16], %k: f32[2,16]) -> (%y as \"y\") {\n", kStatistics,
               "  const %w: f32[2,16] = bytes=128\n",
               "  %h: f32[1,2] = aten::linear(input=%x, weight=", weight, ", bias=none)\n",
               "  %y: f32[1,2] = aten::batch_norm(input=%h, ", kNorm, ")\n}\n");
  };
  check_unchanged(kBatchNormPass, text("%w"));
  check_unchanged(kBatchNormPass, text("%k"));
}

TEST_CASE("norms with further results fold if these are unread") {
  const auto text = [](std::string_view read) {
    return cat("graph m(%x: f32[1,1]) -> (%y as \"y\", %", read, " as \"z\") {\n", kStatistics,
               "  const %w: f32[2,1] = {10.0, 20.0}\n",
               "  %h: f32[1,2] = aten::linear(input=%x, weight=%w, bias=none)\n",
               "  %y: f32[1,2], %mean: f32[0], %invstd: f32[0] = "
               "aten::_native_batch_norm_legit_no_training(input=%h, weight=%g, bias=%beta, "
               "running_mean=%m, running_var=%v, momentum=0.1, eps=0.0)\n}\n");
  };
  CHECK(after(kBatchNormPass, text("y")).find("batch_norm") == std::string::npos);
  check_unchanged(kBatchNormPass, text("mean"));
}

TEST_CASE("two norms in a row fold one after the other") {
  const std::string out = after(
      kBatchNormPass, cat("graph m(%x: f32[1,1]) -> (%y as \"y\") {\n", kStatistics,
                          "  const %w: f32[2,1] = {10.0, 20.0}\n",
                          "  %h: f32[1,2] = aten::linear(input=%x, weight=%w, bias=none)\n",
                          "  %i: f32[1,2] = aten::batch_norm(input=%h, ", kNorm,
                          ")\n  %y: f32[1,2] = aten::batch_norm(input=%i, ", kNorm, ")\n}\n"));
  CHECK(out ==
        "graph m(%x: f32[1,1]) -> (%y as \"y\") {\n"
        "  const %w: f32[2,1] = {10.0, 20.0}\n"
        "  const %w_bias: f32[2] = {-4.0, -12.0}\n"
        "  %y: f32[1,2] = aten::linear(input=%x, weight=%w, bias=%w_bias) as linear_0\n"
        "}\n");
}

}  // namespace
}  // namespace t2n::passes
