// SPDX-License-Identifier: Apache-2.0
// Layers of quantised tensors: convolutions of all ranks, transposed ones, those that quantise what
// they are given, tables, and products with integers.
#include "tests/ops/check_script.h"

namespace t2n::test::quantised_layers_tests {
namespace {

std::string real(const std::string& quantised) { return "torch.dequantize(" + quantised + ")"; }

const std::string kQ = "torch.quantize_per_tensor(x, 0.0371, 121, 13)";
const std::string kSymmetric = "torch.quantize_per_tensor(self.w, 0.0773, 0, 12)";
const std::string kShifted = "torch.quantize_per_tensor(self.w, 0.0773, 11, 12)";
const std::string kChannels =
    "torch.quantize_per_channel(self.w, torch.tensor([0.044, 0.056, 0.068, 0.084]), "
    "torch.tensor([0, 0, 0, 0]), 0, 12)";

/// Weights of the whole range meet activations of seven bits, others those of eight: on processors
/// without VNNI, LibTorch's kernels cut off sums of two products at 16 bits.
const std::string kWide = "torch.quantize_per_tensor(self.w, 0.0193, 0, 12)";
const std::string kSevenBits = "torch.quantize_per_tensor(x.clamp(-4.5, 5.0), 0.0742, 60, 13)";

/// "[2, 2]" for two axes.
std::string all(int axes, const std::string& number) {
  std::string out;
  for (int i = 0; i < axes; ++i) out += (i > 0 ? ", " : "") + number;
  return "[" + out + "]";
}

struct Case {
  int axes;
  ir::Tensor input;
  Parameters parameters;
};

/// Four channels in and out, in two groups where groups are asked for.
std::vector<Case> cases(int64_t inner) {
  return {
      {1, randn({2, 4, 11}, 1), {{"w", randn({4, inner, 3}, 2)}, {"b", randn({4}, 3)}}},
      {2, randn({2, 4, 6, 5}, 1), {{"w", randn({4, inner, 3, 2}, 2)}, {"b", randn({4}, 3)}}},
      {3, randn({1, 4, 5, 4, 3}, 1), {{"w", randn({4, inner, 2, 3, 2}, 2)}, {"b", randn({4}, 3)}}}};
}

std::string packed(int axes, const std::string& weight, const std::string& bias, int groups) {
  return "ops.quantized.conv" + std::to_string(axes) + "d_prepack(" + weight + ", " + bias + ", " +
         all(axes, "2") + ", " + all(axes, "1") + ", " + all(axes, "1") + ", " +
         std::to_string(groups) + ")";
}

std::string packed_transposed(int axes, const std::string& weight, const std::string& padding) {
  return "ops.quantized.conv_transpose" + std::to_string(axes) + "d_prepack(" + weight +
         ", self.b, " + all(axes, "2") + ", " + all(axes, "1") + ", " + all(axes, padding) + ", " +
         all(axes, "1") + ", 1)";
}

TEST_CASE("convolutions of one to three axes, by either of LibTorch's libraries") {
  for (const int groups : {1, 2})
    for (const Case& each : cases(4 / groups)) {
      const std::string name = "ops.quantized.conv" + std::to_string(each.axes) + "d";
      std::vector<std::string> forms;
      for (const std::string& weight : {kSymmetric, kShifted, kChannels}) {
        const std::string with = packed(each.axes, weight, "self.b", groups);
        forms.push_back(real(name + "(" + kQ + ", " + with + ", 0.0713, 117)"));
        forms.push_back(real(name + "_relu(" + kQ + ", " + with + ", 0.0713, 117)"));
      }
      forms.push_back(real(name + "(" + kQ + ", " + packed(each.axes, kSymmetric, "None", groups) +
                           ", 0.0713, 117)"));
      forms.push_back(real(name + "(" + kSevenBits + ", " +
                           packed(each.axes, kWide, "self.b", groups) + ", 0.0713, 117)"));
      check_with(each.parameters, forms, {each.input});
    }
}

TEST_CASE("the old form of a convolution has its packed parameters' stride and padding") {
  for (const Case& each : cases(4)) {
    if (each.axes == 1) continue;
    const std::string with = packed(each.axes, kSymmetric, "self.b", 1);
    const std::string others = all(each.axes, "1") + ", " + all(each.axes, "0") + ", " +
                               all(each.axes, "1") + ", 1, 0.0713, 117)";
    std::vector<std::string> forms;
    for (const std::string end : {"d(", "d_relu("})
      forms.push_back(real("ops.quantized.conv" + std::to_string(each.axes) + end + kQ + ", " +
                           with + ", " + others));
    check_with(each.parameters, forms, {each.input});
  }
}

TEST_CASE("transposed convolutions") {
  for (const Case& each : cases(4)) {
    const std::string name = "ops.quantized.conv_transpose" + std::to_string(each.axes) + "d(";
    std::vector<std::string> forms;
    for (const std::string& weight : {kSymmetric, kShifted})
      for (const std::string padding : {"0", "1"})
        if (each.axes < 3 || weight == kSymmetric)
          forms.push_back(real(name + kQ + ", " + packed_transposed(each.axes, weight, padding) +
                               ", 0.0713, 117)"));
    check_with(each.parameters, forms, {each.input});
  }
}

TEST_CASE("dynamic convolutions clamp results to the range of their input") {
  for (const Case& each : cases(4)) {
    const std::string name = "ops.quantized.conv" + std::to_string(each.axes) + "d_dynamic(";
    std::vector<std::string> forms;
    for (const std::string& weight : {kSymmetric, kShifted, kChannels})
      for (const std::string input : {"x", "x * 0.25 + 2.0", "x * 1000.0"})
        forms.push_back(name + input + ", " + packed(each.axes, weight, "self.b", 1) + ", False)");
    forms.push_back(name + "x, " + packed(each.axes, kSymmetric, "None", 1) + ", True)");
    check_with(each.parameters, forms, {each.input});
    check_with(each.parameters,
               {"ops.quantized.conv_transpose" + std::to_string(each.axes) + "d_dynamic(x, " +
                    packed_transposed(each.axes, kSymmetric, "0") + ", False)",
                "ops.quantized.conv_transpose" + std::to_string(each.axes) + "d_dynamic(x, " +
                    packed_transposed(each.axes, kSymmetric, "0") + ", True)"},
               {each.input});
  }
}

const Parameters kLinear = {{"w", randn({4, 6}, 5)}, {"b", randn({4}, 6)}};
const ir::Tensor kX = randn({3, 5, 6}, 7);

TEST_CASE("linear layers between real numbers, and those that quantise them") {
  std::vector<std::string> forms;
  for (const std::string& weight : {kSymmetric, kShifted, kChannels}) {
    const std::string with = "ops.quantized.linear_prepack(" + weight + ", self.b)";
    forms.push_back("ops.quantized.linear_with_input_q_dq_qweight_dq_output_fp32(x, 0.0371, 121, " +
                    with + ")");
    forms.push_back(
        "ops.quantized.linear_with_input_q_dq_qweight_dq_relu_output_fp32(x, 0.0371, 121, " + with +
        ")");
    for (const std::string input : {"x", "x * 0.0", "x * 1e-6", "x * 1000.0 + 5.0"})
      forms.push_back("ops.quantized.linear_dynamic(" + input + ", " + with + ", False)");
    forms.push_back("ops.quantized.linear_relu_dynamic(x, " + with + ", True)");
  }
  for (const std::string name : {"linear_dynamic_fp16", "linear_relu_dynamic_fp16"})
    for (const std::string bias : {"self.b", "None"})
      forms.push_back("ops.quantized." + name + "(x, ops.quantized.linear_prepack_fp16(self.w, " +
                      bias + "))");
  check_with(kLinear, forms, {kX});
}

TEST_CASE("what linear layers quantise is rounded with its zero point") {
  // A range of 255 steps of one with an odd zero point: halves are ties.
  std::vector<double> halves = {-127, 128};
  while (halves.size() < 256) halves.push_back(static_cast<double>(halves.size() % 101) - 50.5);
  const ir::Tensor x = values({4, 64}, halves);
  const Parameters parameters = {{"w", randn({4, 64}, 12)}, {"b", randn({4}, 13)}};
  const std::string with = "ops.quantized.linear_prepack(" + kSymmetric + ", self.b)";
  check_with(parameters,
             {"ops.quantized.linear_dynamic(x, " + with + ", False)",
              "ops.quantized.linear_relu_dynamic(x, " + with + ", False)",
              "ops.quantized.linear_with_input_q_dq_qweight_dq_output_fp32(x, 1.0, 127, " + with +
                  ")"},
             {x});
}

TEST_CASE("a tensor that is quantised by its own range") {
  check_each({real("torch.quantize_per_tensor_dynamic(x, 13, False)"),
              real("torch.quantize_per_tensor_dynamic(x, 12, True)"),
              real("torch.quantize_per_tensor_dynamic(x * 0.0, 12, False)"),
              real("torch.transpose(torch.quantize_per_tensor_dynamic(x + 3.0, 13, False), 1, 2)"),
              "torch.int_repr(torch.quantize_per_tensor_dynamic(x, 12, False))"},
             {kX});
  CHECK_NE(refusal(real("torch.sigmoid(torch.quantize_per_tensor_dynamic(x, 13, False))"), {kX})
               .find("its operand has a data-dependent scale"),
           std::string::npos);
}

TEST_CASE("layers that only another engine of LibTorch has are refused with what replaces them") {
  const std::string weight = "torch.quantize_per_tensor(torch.ones([3, 6]), 0.1, 0, 12)";
  const std::string layer = "ops.quantized.linear_prepack(" + weight + ", None)";
  const std::string call = "ops.quantized.linear_tanh(" + kQ + ", " + layer + ", 0.0078125, 128)";
  const std::string said = refusal(real(call), {randn({2, 6}, 1)});
  CHECK_NE(said.find("error[unsupported-op]: quantized::linear_tanh has no kernel in LibTorch's "
                     "default engine of quantised layers\n"),
           std::string::npos);
  CHECK_NE(said.find("quantized::linear and aten::tanh"), std::string::npos);
}

TEST_CASE("products of integers") {
  const Parameters weights = {{"a", randn({4, 6}, 9)}};
  const std::string weight = "torch._cast_Char(self.a * 30.0)";
  check_with(weights,
             {"torch._int_mm(torch._cast_Char(torch.reshape(x, [15, 6]) * 20.0), torch.t(" +
              weight + "))"},
             {kX});
}

}  // namespace
}  // namespace t2n::test::quantised_layers_tests
