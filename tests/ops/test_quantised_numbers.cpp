// What a model asks of its quantised tensors, as plain numbers.
#include "tests/ops/check_script.h"

namespace t2n::test {
namespace {

const std::string kQ = "torch.quantize_per_tensor(x, 0.0371, 121, 13)";
const std::string kRows =
    "torch.quantize_per_channel(x, torch.tensor([0.011, 0.014, 0.017]), torch.tensor([3, 0, 7]), "
    "0, 13)";
const std::string kOwn = "torch.quantize_per_tensor_dynamic(x, 13, False)";

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

TEST_CASE("scales and zero points that follow from data are refused as numbers") {
  for (const std::string& asked :
       {"torch.q_scale(" + kOwn + ")", "torch.q_zero_point(" + kOwn + ")",
        "torch.q_scale(torch.transpose(" + kOwn + ", 0, 1))"}) {
    const std::string error = refusal("x * " + asked, {randn({3, 4}, 2)});
    CAPTURE(error);
    CHECK(error.find("data-dependent-value") != std::string::npos);
    CHECK(error.find("aten::q_") != std::string::npos);
  }
}

}  // namespace
}  // namespace t2n::test
