// SPDX-License-Identifier: Apache-2.0
// Writes to quantised tensors, and what they say of themselves.
#include "tests/ops/check_script.h"

namespace t2n::test::quantised_writes_tests {
namespace {

const std::string kBegin =
    "def forward(self, x, y):\n"
    "  q = torch.quantize_per_tensor(x, 0.25, 121, 13)\n"
    "  p = torch.quantize_per_tensor(y, 0.125, 91, 13)\n";

const std::vector<ir::Tensor> kInputs = {randn({2, 4, 4, 8}, 1), randn({2, 4, 4, 8}, 2)};

/// The statements, in which q and p are quantised tensors, and what is returned.
Script writes(const std::string& statements, const std::string& result) {
  return {kBegin + statements + "  return " + result + "\n", {}, {}};
}

void check_writes(const std::string& statements,
                  const std::string& result = "torch.dequantize(q)") {
  for (const target::Target& target : test_targets()) {
    CAPTURE(statements);
    CAPTURE(target::target_name(target));
    try {
      CHECK_CLOSE(export_and_run(writes(statements, result), kInputs, target), rel(1e-5));
    } catch (const Error& error) {
      FAIL_CHECK(std::string(error.what()));
    }
  }
}

std::string refused(const std::string& statements, const std::string& result) {
  return export_error(writes(statements, result), kInputs, target::parse_target("tract@0.23.9"));
}

TEST_CASE("a quantised tensor is written, whole and in part") {
  check_writes("  torch.copy_(q, y * 3.0)\n");
  check_writes("  torch.copy_(q, p)\n");
  check_writes("  torch.copy_(torch.select(q, 0, 0), torch.select(y, 0, 1))\n");
  check_writes("  torch.copy_(torch.select(q, 0, 0), torch.select(q, 0, 1))\n");
  check_writes("  torch.fill_(q, 0.625)\n", "torch.dequantize(q) + x");
  check_writes("  torch.fill_(torch.select(q, 0, 0), 0.625)\n");
  check_writes("  torch.relu_(torch.select(q, 1, 1))\n");
  check_writes("  torch.relu_(torch.slice(torch.view(q, [8, 32]), 0, 2, 5, 1))\n");
  check_writes("  torch.leaky_relu_(q, 0.3)\n");
  check_writes("  torch.masked_fill_(q, x > 0.3, 0.625)\n");
  check_writes(
      "  r = torch._empty_affine_quantized([2, 4, 4, 8], dtype=13, scale=0.25, zero_point=3)\n"
      "  torch.copy_(r, y)\n",
      "torch.dequantize(r) + x");
  check_writes(
      "  r = torch._empty_affine_quantized([2, 4, 4, 8], dtype=13, layout=0, device=\"cpu\", "
      "pin_memory=False, scale=0.25, zero_point=3, memory_format=2)\n"
      "  torch.fill_(r, 0.75)\n",
      "torch.dequantize(r) + x");
  check_writes("  r = torch.empty_like(q)\n  torch.copy_(r, y)\n", "torch.dequantize(r)");
}

TEST_CASE("memory shared by tensors with two scales is refused") {
  const std::string text = "a quantised tensor that shares memory with another one takes another scale";
  CHECK_NE(refused("  v = torch.select(q, 0, 0)\n  torch.copy_(q, p)\n",
                   "(torch.dequantize(q), torch.dequantize(v))")
               .find(text),
           std::string::npos);
  CHECK_NE(refused("  torch.copy_(torch.select(q, 0, 0), torch.select(p, 0, 1))\n",
                   "torch.dequantize(q)")
               .find(text),
           std::string::npos);
  // Here LibTorch's own run is asked first.
  CHECK_NE(
      refused("  r = ops.quantized.relu6(q, True)\n", "(torch.dequantize(q), torch.dequantize(r))")
          .find("error[trace-differs]"),
      std::string::npos);
  check_writes("  r = ops.quantized.relu6(q, True)\n", "torch.dequantize(r) + y");
}

TEST_CASE("scales of channels are tensors") {
  check_writes(
      "  r = torch.quantize_per_channel(x, torch.tensor([0.1, 0.2, 0.3, 0.4]), "
      "torch.tensor([1, 2, 3, 4]), 1, 13)\n",
      "(torch.q_per_channel_scales(r) * 2.0, torch.q_per_channel_zero_points(r), "
      "torch.dequantize(r) + y)");
}

TEST_CASE("pools of quantised tensors have a name of their own") {
  check_writes("", "torch.dequantize(torch.quantized_max_pool2d(q, [2, 2], [2, 2]))");
  check_writes(
      "", "torch.dequantize(torch.quantized_max_pool2d(q, [2, 2], [2, 2], [1, 1], [1, 1], True))");
  check_writes("",
               "torch.dequantize(torch.quantized_max_pool2d(q, [2, 2], [1, 1], [0, 1], [2, 1]))");
  check_writes("",
               "torch.dequantize(ops.quantized.max_pool2d(q, [3, 3], [2, 2], [1, 1], [1, 1], "
               "False))");
}

TEST_CASE("impossible scales and zero points are errors") {
  const auto error_of = [](const std::string& scale, const std::string& point) {
    return refused(
        "", "torch.dequantize(torch.quantize_per_tensor(x, " + scale + ", " + point + ", 13))");
  };
  for (const std::string scale : {"0.0", "-0.5", "1e-40"})
    CHECK_NE(
        error_of(scale, "3").find("error[unsupported-dtype]: a quantised tensor has the scale"),
        std::string::npos);
  for (const std::string point : {"256", "-1"})
    CHECK_NE(error_of("0.5", point).find("error[forward-failed]: aten::quantize_per_tensor failed"),
             std::string::npos);
}

}  // namespace
}  // namespace t2n::test::quantised_writes_tests
