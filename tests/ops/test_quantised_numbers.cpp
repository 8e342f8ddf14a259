// SPDX-License-Identifier: Apache-2.0
// What a model asks of its quantised tensors, as plain numbers.
#include "tests/ops/check_script.h"
#include "tests/support/strict_case.h"

namespace t2n::test::quantised_numbers_tests {
namespace {

using ir::DType;

const std::string kQ = "torch.quantize_per_tensor(x, 0.0371, 121, 13)";
const std::string kRows =
    "torch.quantize_per_channel(x, torch.tensor([0.011, 0.014, 0.017]), torch.tensor([3, 0, 7]), "
    "0, 13)";

TEST_CASE("scales and zero points that the model knows are numbers") {
  const std::string layer =
      "ops.quantized.linear(" + kQ +
      ", ops.quantized.linear_prepack(torch.quantize_per_tensor(self.w, 0.0193, 0, 12), None), "
      "0.0713, 117)";
  check_with({{"w", randn({3, 4}, 1)}},
             {"x * torch.q_scale(" + kQ + ")", "x + torch.q_zero_point(" + kQ + ")",
              "torch.int_repr(" + kQ + ").to(6) * torch.q_scale(" + kQ + ")",
              "x * torch.q_scale(torch.transpose(" + kQ + ", 0, 1))",
              "x[:, :3] * torch.q_scale(" + layer + ") + torch.q_zero_point(" + layer + ")",
              "torch.sum(x, [torch.q_per_channel_axis(" + kRows + ")])",
              "x * torch.q_per_channel_scales(" + kRows + ").reshape([3, 1])"},
             {randn({3, 4}, 2)});
}

TEST_CASE("weights that are packed and taken out again are constants") {
  const std::string weight = "torch.quantize_per_tensor(self.w, 0.0193, 0, 12)";
  check_with(
      {{"w", randn({3, 4}, 1)}, {"k", randn({2, 3, 1, 1}, 3)}},
      {"torch.matmul(x, torch.t(torch.dequantize((ops.quantized.linear_unpack("
       "ops.quantized.linear_prepack(" +
           weight + ", None)))[0])))",
       "x[:, :3] * torch.dequantize((ops.quantized.conv2d_unpack(ops.quantized.conv2d_prepack("
       "torch.quantize_per_tensor(self.k, 0.0193, 0, 12), None, [1, 1], [0, 0], [1, 1], "
       "1)))[0]).sum()"},
      {randn({5, 4}, 2)});
}

TEST_CASE("those that follow from data are computed by the file") {
  for (const std::string type : {"12", "13"})
    for (const std::string reduced : {"False", "True"}) {
      const std::string own = "torch.quantize_per_tensor_dynamic(x, " + type + ", " + reduced + ")";
      const std::string scale = "torch.q_scale(" + own + ")";
      const std::string point = "torch.q_zero_point(" + own + ")";
      const std::vector<std::string> calls = {
          "x * " + scale, "x + " + point, "x * (" + scale + " * 3.7 + 0.1)",
          "(torch.int_repr(" + own + ").to(6) - " + point + ") * " + scale,
          "x * torch.q_scale(torch.transpose(" + own + ", 0, 1))"};
      for (const ir::Tensor& x :
           {randn({3, 4}, 2), ir::tensor_of<double>(DType::f32, {2, 2}, {0, 0, 0, 0}),
            ir::tensor_of<double>(DType::f32, {2, 2}, {-3, -1e-4, -2, -0.5}),
            ir::tensor_of<double>(DType::f32, {2, 2}, {1e-5, 0, -1e-5, 2e-5}),
            ir::tensor_of<double>(DType::f32, {2, 2}, {1e-5, 0, 2e-5, 0})})
        check_each(calls, {x});
    }
}

TEST_CASE("tensors are quantised by a scale that the file computes") {
  for (const std::string type : {"12", "13"}) {
    const std::string point = type == "12" ? "-3" : "120";
    const std::string by_number =
        "torch.quantize_per_tensor(x, float(x.abs().max()) / 100, " + point + ", " + type + ")";
    const std::string by_tensors =
        "torch.quantize_per_tensor(x, x.abs().max().reshape(1) * 0.01, (x[:1, 0] > 0).to(3) + 2, " +
        type + ")";
    check_each(
        {"torch.dequantize(" + by_number + ")", "torch.int_repr(" + by_tensors + ").to(6)",
         "torch.dequantize(torch.relu(torch.transpose(" + by_number + ", 0, 1)))",
         "x + torch.q_scale(" + by_number + ")", "x * torch.q_zero_point(" + by_tensors + ")"},
        {randn({3, 4}, 2)});
    check_each({"torch.int_repr(" + by_number + ").to(6)"},
               {ir::tensor_of<double>(DType::f32, {2, 2}, {1e5, -3e4, 20, 0})});
  }
  const Script wide = expression_script(
      "torch.dequantize(torch.quantize_per_tensor(x, x.abs().max(), torch.tensor(0), 14))", 1);
  for (const target::Target& target : test_targets()) {
    const std::string error = export_error(wide, {randn({3, 4}, 2)}, target);
    CHECK_MESSAGE(error.find("32-bit integers with a data-dependent scale") != std::string::npos,
                  error);
  }
}

/// Strict NNEF has no f64, in which LibTorch finds out on which side it is. tract multiplies with
/// the inverse where it divides: at these ends that is the same.
TEST_CASE("zero points at a tie are those of LibTorch, where there is f64") {
  for (const target::Target& target : test_targets())
    for (const std::string type : {"12", "13"})
      for (const double end : {1.0, 0.37, 4.2, 1.7e-3}) {
        CAPTURE(target::target_name(target));
        CAPTURE(end);
        const std::string own = "torch.quantize_per_tensor_dynamic(x, " + type + ", False)";
        Run run = export_and_run(
            expression_script(
                "torch.int_repr(" + own + ").to(6) + 1000.0 * torch.q_zero_point(" + own + ")", 1),
            {ir::tensor_of<double>(DType::f32, {2, 2}, {-end, end / 3, 0.1 * end, end})}, target);
        drop_strict_case(run);
        CHECK_CLOSE(run, rel(1e-7));
      }
}

TEST_CASE("scales for each channel do not follow from data") {
  const std::string error = refusal(
      "torch.dequantize(torch.quantize_per_channel(x, x.abs().amax([1]), torch.tensor([3, 0, 7]), "
      "0, 13))",
      {randn({3, 4}, 2)});
  CHECK(error.find("data-dependent-value") != std::string::npos);
  CHECK(error.find("depends on data") != std::string::npos);
}

}  // namespace
}  // namespace t2n::test::quantised_numbers_tests
