// SPDX-License-Identifier: Apache-2.0
// Recurrent layers that quantise what they are given, as torch's dynamic quantisation makes them.
#include "tests/ops/check_script.h"
#include "tests/support/dynamic.h"

namespace t2n::test::quantised_recurrent_tests {
namespace {

constexpr int64_t kIn = 5, kWidth = 3;

/// Weights, and biases, of four cells whose inputs are the layer's, or states of both directions.
Parameters parameters(int64_t gates) {
  Parameters out;
  for (int i = 0; i < 4; ++i) {
    const std::string n = std::to_string(i);
    const auto seed = static_cast<uint64_t>(10 * i);
    out.emplace_back("w" + n, randn({gates * kWidth, i < 2 ? kIn : 2 * kWidth}, seed + 1));
    out.emplace_back("u" + n, randn({gates * kWidth, kWidth}, seed + 2));
    out.emplace_back("b" + n, randn({gates * kWidth}, seed + 3));
    out.emplace_back("c" + n, randn({gates * kWidth}, seed + 4));
  }
  return out;
}

std::string integers(const std::string& weight) {
  return "torch.quantize_per_tensor(self." + weight + ", 0.0193, 0, 12)";
}

std::string layer(const std::string& weight, const std::string& bias) {
  return "ops.quantized.linear_prepack(" + weight + ", self." + bias + ")";
}

/// The parameters of a cell.
std::string cell(int i, bool reduce = true) {
  const std::string n = std::to_string(i);
  return "ops.quantized.make_quantized_cell_params_dynamic(" + layer(integers("w" + n), "b" + n) +
         ", " + layer(integers("u" + n), "c" + n) + ", self.b" + n + ", self.c" + n + ", " +
         (reduce ? "True" : "False") + ")";
}

std::string half_cell(int i) {
  const std::string n = std::to_string(i);
  const auto packed = [&](const std::string& weight, const std::string& bias) {
    return "ops.quantized.linear_prepack_fp16(self." + weight + n + ", self." + bias + n + ")";
  };
  return "ops.quantized.make_quantized_cell_params_fp16(" + packed("w", "b") + ", " +
         packed("u", "c") + ")";
}

/// The layers of a kind over the input x.
std::string layers(const std::string& kind, const std::string& states, const std::string& cells,
                   int count, bool both, bool batch_first) {
  const std::string flag = both ? "True" : "False";
  return "torch.quantized_" + kind + "(x, " + states + ", [" + cells + "], True, " +
         std::to_string(count) + ", 0.25, False, " + flag + ", " +
         (batch_first ? "True" : "False") +
         (kind == "lstm" ? ", dtype=12, use_dynamic=True)" : ")");
}

std::string zeros(int count, int batch) {
  return "torch.zeros([" + std::to_string(count) + ", " + std::to_string(batch) + ", 3])";
}

std::string all_cells() { return cell(0) + ", " + cell(1) + ", " + cell(2) + ", " + cell(3); }

TEST_CASE("LSTM and GRU: each time step has its own scale") {
  const std::string one = zeros(1, 2), four = zeros(4, 2);
  const ir::Tensor x = randn({4, 2, kIn}, 1);
  std::vector<std::string> lstms, grus;
  for (const int result : {0, 1, 2}) {
    const std::string at = "[" + std::to_string(result) + "]";
    lstms.push_back(layers("lstm", "[" + one + ", " + one + "]", cell(0), 1, false, false) + at);
    lstms.push_back(layers("lstm", "[" + four + ", " + four + "]", all_cells(), 2, true, false) +
                    at);
    if (result == 2) continue;
    grus.push_back(layers("gru", one, cell(0), 1, false, false) + at);
    grus.push_back(layers("gru", four, all_cells(), 2, true, false) + at);
  }
  check_with(parameters(4), lstms, {x});
  check_with(parameters(3), grus, {x});
}

TEST_CASE("the batch first, given states, and integers of the whole range") {
  const ir::Tensor x = randn({2, 4, kIn}, 1), h = randn({1, 2, kWidth}, 2),
                   c = randn({1, 2, kWidth}, 3);
  for (const bool reduce : {true, false}) {
    check_with(parameters(4), {layers("lstm", "[y, z]", cell(0, reduce), 1, false, true) + "[0]"},
               {x, h, c});
    check_with(parameters(3), {layers("gru", "y", cell(0, reduce), 1, false, true) + "[0]"},
               {x, h});
  }
}

TEST_CASE("weights of 16 bits are floats") {
  const ir::Tensor x = randn({3, 2, kIn}, 1);
  const std::string one = zeros(1, 2), two = zeros(2, 2);
  check_with(parameters(4),
             {layers("lstm", "[" + one + ", " + one + "]", half_cell(0), 1, false, false) + "[0]"},
             {x});
  check_with(parameters(3),
             {layers("gru", two, half_cell(0) + ", " + half_cell(1), 1, true, false) + "[0]"}, {x});
}

/// A cell of the kind; `states` are its states.
std::string single(const std::string& kind, const std::string& states, bool half = false) {
  const auto packed = [&](const std::string& weight, const std::string& bias) {
    return half ? "ops.quantized.linear_prepack_fp16(self." + weight + ", self." + bias + ")"
                : layer(integers(weight), bias);
  };
  return "ops.quantized.quantized_" + kind + "_cell_dynamic(x, " + states + ", " +
         packed("w0", "b0") + ", " + packed("u0", "c0") + ", self.b0, self.c0)";
}

TEST_CASE("single cells") {
  const ir::Tensor x = randn({2, kIn}, 1), h = randn({2, kWidth}, 2), c = randn({2, kWidth}, 3);
  for (const bool half : {false, true}) {
    check_with(parameters(4),
               {single("lstm", "[y, z]", half) + "[0]", single("lstm", "[y, z]", half) + "[1]"},
               {x, h, c});
    check_with(parameters(3), {single("gru", "y", half)}, {x, h});
    check_with(parameters(1), {single("rnn_tanh", "y", half), single("rnn_relu", "y", half)},
               {x, h});
  }
}

TEST_CASE("constant, tiny, huge, negative and single inputs") {
  const std::string one = zeros(1, 1);
  const std::string lstm =
      layers("lstm", "[" + one + ", " + one + "]", cell(0), 1, false, false) + "[0]";
  const std::string gru = layers("gru", one, cell(0), 1, false, false) + "[0]";
  for (const auto& [low, high] : {std::pair(0.0, 0.0), std::pair(0.7, 0.7), std::pair(-1e-6, 1e-6),
                                  std::pair(-1e4, 1e4), std::pair(-3.0, -2.0)})
    for (const int64_t length : {1, 3}) {
      const ir::Tensor x = uniform({length, 1, kIn}, low, high, 1);
      check_with(parameters(4), {lstm}, {x});
      check_with(parameters(3), {gru}, {x});
    }
}

TEST_CASE("open time and batch") {
  const std::string states = "torch.zeros([2, x.size(0), 3])";
  const std::string cells = cell(0) + ", " + cell(1);
  const std::vector<OpenInput> x = {{{"B", "S", "5"}}};
  const std::vector<Sizes> sizes = {
      {{"B", 2}, {"S", 3}}, {{"B", 5}, {"S", 7}}, {{"B", 1}, {"S", 1}}};
  check_open_with(
      parameters(4),
      {layers("lstm", "[" + states + ", " + states + "]", cells, 1, true, true) + "[0]",
       layers("lstm", "[" + states + ", " + states + "]", cells, 1, true, true) + "[2]"},
      x, sizes, 1e-5);
  check_open_with(parameters(3), {layers("gru", states, cells, 1, true, true) + "[0]"}, x, sizes,
                  1e-5);
}

TEST_CASE("strict NNEF unrolls time steps, up to a limit") {
  const std::string model = layers("gru", zeros(1, 1), cell(0), 1, false, false) + "[0]";
  const std::string said = export_error(with_parameters(model, 1, parameters(3)),
                                        {randn({513, 1, kIn}, 1)}, target::parse_target("khronos"));
  CAPTURE(said);
  CHECK(said.find("NNEF has no loops: a loop is unrolled if its number of iterations is known, up "
                  "to 512 iterations and 100000 operations\n") != std::string::npos);
}

TEST_CASE("packed sequences are refused") {
  const std::string model =
      "torch.quantized_gru(x, torch.tensor([2, 1]), torch.zeros([1, 2, 3]), [" + cell(0) +
      "], True, 1, 0., False, False)[0]";
  for (const target::Target& target : test_targets()) {
    const std::string said =
        export_error(with_parameters(model, 1, parameters(3)), {randn({3, kIn}, 1)}, target);
    CAPTURE(said);
    CHECK(said.find("it runs over a packed sequence") != std::string::npos);
  }
}

}  // namespace
}  // namespace t2n::test::quantised_recurrent_tests
