// SPDX-License-Identifier: Apache-2.0
// Quantised tensors: their integers and LibTorch's rounding, said in plain operations.
#include "tests/ops/check_script.h"

namespace t2n::test::quantised_tests {
namespace {

// Types as numbers: 12 qint8, 13 quint8, 14 qint32.
const std::string kU8 = "torch.quantize_per_tensor(x, 0.0371, 121, 13)";
const std::string kI8 = "torch.quantize_per_tensor(x, 0.0293, -7, 12)";
const std::string kOther = "torch.quantize_per_tensor(y, 0.0217, 90, 13)";

const ir::Tensor kX = randn({2, 4, 6, 6}, 1);
const ir::Tensor kY = randn({2, 4, 6, 6}, 2);

std::string real(const std::string& quantised) { return "torch.dequantize(" + quantised + ")"; }

/// The expressions, of a tensor quantised in the place of Q, dequantised.
std::vector<std::string> forms(const std::vector<std::string>& expressions) {
  std::vector<std::string> out;
  for (const std::string& quantised : {kU8, kI8})
    for (std::string text : expressions) {
      for (size_t at = text.find('Q'); at != std::string::npos; at = text.find('Q', at + 1))
        text.replace(at, 1, quantised);
      out.push_back(real(text));
    }
  return out;
}

TEST_CASE("tensors are quantised and dequantised as torch does") {
  check_each({real(kU8), real(kI8), "torch.int_repr(" + kU8 + ")", "torch.int_repr(" + kI8 + ")",
              real("torch.quantize_per_tensor(x, 0.0013, 0, 14)"),
              real("torch.quantize_per_tensor(x * 100, 0.0625, 3, 13)"),
              real("torch.quantize_per_channel(x, torch.tensor([0.01, 0.02, 0.03, 0.04]), "
                   "torch.tensor([0, 3, -5, 1]), 1, 12)"),
              real("torch.quantize_per_channel(x, torch.tensor([0.01, 0.02]), "
                   "torch.tensor([120, 3]), 0, 13)"),
              real("torch.quantize_per_tensor(x, torch.tensor(0.05), torch.tensor(5), 13)")},
             {kX});
}

TEST_CASE("views and choices keep the integers") {
  check_each(forms({"torch.reshape(Q, [2, 4, 36])", "torch.transpose(Q, 1, 2)",
                    "torch.permute(Q, [0, 2, 3, 1])", "torch.slice(Q, 1, 1, 3, 1)",
                    "torch.select(Q, 2, -1)", "torch.flatten(Q, 1)", "torch.unsqueeze(Q, 1)",
                    "torch.relu(Q)", "torch.max_pool2d(Q, [2, 2], [2, 2], [1, 1], [1, 1], False)",
                    "torch.flip(Q, [1])", "torch.index_select(Q, 1, torch.tensor([2, 0]))",
                    "torch.clone(Q)", "torch.upsample_nearest2d(Q, [12, 9])",
                    "torch.upsample_nearest2d(Q, None, [1.1, 1.1])",
                    "torch.upsample_nearest2d(Q, None, [1.1, 2.1])",
                    "torch.upsample_nearest2d(Q, None, [2.1, 2.1])", "torch.cat([Q, Q], 1)",
                    "torch.contiguous(Q)"}),
             {kX});
}

TEST_CASE("means are rounded to integers") {
  check_each(
      forms({"torch.avg_pool2d(Q, [2, 2], [2, 2], [0, 0], False, True, None)",
             "torch.avg_pool2d(Q, [3, 3], [2, 2], [1, 1], False, True, None)",
             "torch.adaptive_avg_pool2d(Q, [3, 2])", "torch.adaptive_avg_pool2d(Q, [1, 1])"}),
      {kX});
}

TEST_CASE("functions with parameters of their own") {
  check_each(forms({"torch.sigmoid(Q)", "torch.tanh(Q)", "torch.hardsigmoid(Q)",
                    "torch.hardtanh(Q, -1.0, 2.0)", "torch.leaky_relu(Q, 0.2)",
                    "torch.clamp(Q, -0.5, 1.5)"}),
             {kX});
}

TEST_CASE("arithmetic of quantised tensors") {
  const std::string both = "(" + kU8 + ", " + kOther + ", 0.0411, 111)";
  check_each({real("ops.quantized.add" + both), real("ops.quantized.add_relu" + both),
              real("ops.quantized.mul" + both), real("ops.quantized.mul_relu" + both),
              real("ops.quantized.cat([" + kU8 + ", " + kOther + "], 1, 0.0411, 111)"),
              real("ops.quantized.cat_relu([" + kU8 + ", " + kOther + "], 2, 0.0411, 111)"),
              real("ops.quantized.add_scalar(" + kU8 + ", 0.7)"),
              real("ops.quantized.mul_scalar(" + kU8 + ", -0.7)"),
              real("ops.quantized.mul_scalar_relu(" + kU8 + ", 1.3)"),
              real("ops.quantized.matmul(" + kU8 + ", " + kOther + ", 0.0817, 130)")},
             {kX, kY});
}

TEST_CASE("activations and norms of quantised tensors") {
  const std::string to = ", 0.0411, 111";
  check_each({real("ops.quantized.hardswish(" + kU8 + to + ")"),
              real("ops.quantized.elu(" + kU8 + to + ", 1.3)"),
              real("ops.quantized.elu(" + kU8 + to + ", 1.3, 1.1, 0.9)"),
              real("ops.quantized.celu(" + kU8 + to + ", 0.7)"),
              real("ops.quantized.leaky_relu(" + kU8 + ", 0.1, False" + to + ")"),
              real("ops.quantized.relu6(" + kU8 + ")"),
              real("ops.quantized.sigmoid(" + kU8 + ", 0.0041, 3)"),
              real("ops.quantized.softmax(" + kU8 + ", 1, 0.0041, 3)"),
              real("ops.quantized.threshold(" + kU8 + ", 0.5, 0.25)"),
              real("ops.quantized.layer_norm(" + kU8 + ", [6, 6], None, None, 1e-5" + to + ")"),
              real("ops.quantized.group_norm(" + kU8 + ", 2, None, None, 1e-5" + to + ")"),
              real("ops.quantized.instance_norm(" + kU8 + ", None, None, 1e-5" + to + ")"),
              real("ops.quantized.batch_norm2d(" + kU8 +
                   ", torch.ones([4]), torch.zeros([4]), torch.ones([4]) * 0.1, torch.ones([4]) * "
                   "2, 1e-5" +
                   to + ")")},
             {kX});
}

const Parameters kConv = {{"w", randn({6, 2, 3, 3}, 3)}, {"b", randn({6}, 4)}};
const Parameters kLinear = {{"w", randn({5, 6}, 5)}, {"b", randn({5}, 6)}};

std::string packed_conv(const std::string& weight) {
  return "ops.quantized.conv2d_prepack(" + weight + ", self.b, [2, 1], [1, 0], [1, 1], 2)";
}

const std::string kPerTensor = "torch.quantize_per_tensor(self.w, 0.0773, 0, 12)";
std::string per_channel(int channels) {
  std::string scales;
  std::string zeros;
  for (int i = 0; i < channels; ++i) {
    scales += (i > 0 ? ", " : "") + std::to_string(0.044 + 0.012 * i);
    zeros += i > 0 ? ", 0" : "0";
  }
  return "torch.quantize_per_channel(self.w, torch.tensor([" + scales + "]), torch.tensor([" +
         zeros + "]), 0, 12)";
}

TEST_CASE("convolutions are sums of integers, rounded once") {
  std::vector<std::string> all;
  for (const std::string& weight : {kPerTensor, per_channel(6)})
    for (const std::string name : {"conv2d", "conv2d_relu"})
      all.push_back(real("ops.quantized." + name + "(" + kU8 + ", " + packed_conv(weight) +
                         ", 0.0713, 117)"));
  check_with(kConv, all, {kX});
}

TEST_CASE("linear layers, static and dynamic") {
  std::vector<std::string> all;
  for (const std::string& weight : {kPerTensor, per_channel(5)}) {
    const std::string packed = "ops.quantized.linear_prepack(" + weight + ", self.b)";
    all.push_back(real("ops.quantized.linear(" + kU8 + ", " + packed + ", 0.0713, 117)"));
    all.push_back(real("ops.quantized.linear_relu(" + kU8 + ", " + packed + ", 0.0713, 3)"));
    all.push_back("ops.quantized.linear_dynamic(x, " + packed + ", True)");
    all.push_back("ops.quantized.linear_relu_dynamic(x, " + packed + ", False)");
  }
  check_with(kLinear, all, {kX});
}

}  // namespace
}  // namespace t2n::test::quantised_tests
