// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/check_script.h"

namespace t2n::test::rnn_tests {
namespace {

using ir::DType;

/// How a layer is called; gates and states follow from the name.
struct Layer {
  std::string name;
  int layers = 1;
  bool has_biases = true;
  bool is_bidirectional = false;
  bool batch_first = false;
  int64_t projection = 0;
  DType dtype = DType::f32;
};

constexpr int64_t kInput = 3;
constexpr int64_t kHidden = 4;

int64_t gates(const Layer& layer) { return layer.name == "lstm" ? 4 : layer.name == "gru" ? 3 : 1; }

Parameters parameters(const Layer& layer) {
  const int64_t state = layer.projection > 0 ? layer.projection : kHidden;
  const int64_t rows = gates(layer) * kHidden;
  Parameters out;
  const auto add = [&](const ir::Ints& shape) {
    const auto seed = static_cast<uint64_t>(out.size() + 1);
    out.emplace_back("p" + std::to_string(out.size()),
                     uniform(shape, -0.6, 0.6, seed, layer.dtype));
  };
  const int directions = layer.is_bidirectional ? 2 : 1;
  for (int i = 0; i < layer.layers; ++i)
    for (int direction = 0; direction < directions; ++direction) {
      add({rows, i == 0 ? kInput : state * directions});
      add({rows, state});
      if (layer.has_biases) add({rows});
      if (layer.has_biases) add({rows});
      if (layer.projection > 0) add({state, kHidden});
    }
  return out;
}

std::string call(const Layer& layer, const Parameters& parameters, const std::string& states) {
  std::string list;
  for (const auto& [name, value] : parameters) list += (list.empty() ? "self." : ", self.") + name;
  const auto flag = [](bool value) { return script_value(value); };
  return "torch." + layer.name + "(x, " + states + ", [" + list + "], " + flag(layer.has_biases) +
         ", " + std::to_string(layer.layers) + ", 0.0, False, " + flag(layer.is_bidirectional) +
         ", " + flag(layer.batch_first) + ")";
}

/// Initial states come in as inputs.
void check_layer(const Layer& layer, int64_t batch = 2, double tolerance = 1e-5) {
  const Parameters all = parameters(layer);
  const int64_t cells = layer.layers * (layer.is_bidirectional ? 2 : 1);
  const ir::Ints input =
      layer.batch_first ? ir::Ints{batch, 5, kInput} : ir::Ints{5, batch, kInput};
  const int64_t state = layer.projection > 0 ? layer.projection : kHidden;
  std::vector<ir::Tensor> inputs = {randn(input, 50, layer.dtype),
                                    randn({cells, batch, state}, 51, layer.dtype)};
  if (layer.name == "lstm") inputs.push_back(randn({cells, batch, kHidden}, 52, layer.dtype));
  check_with(all, {call(layer, all, layer.name == "lstm" ? "[y, z]" : "y")}, inputs, tolerance);
}

const std::vector<std::string> kNames = {"lstm", "gru", "rnn_tanh", "rnn_relu"};

TEST_CASE("recurrent layers with every argument") {
  for (const std::string& name : kNames) {
    check_layer({.name = name});
    check_layer({.name = name, .has_biases = false});
    check_layer({.name = name, .batch_first = true});
    check_layer({.name = name, .layers = 2, .is_bidirectional = true});
    check_layer({.name = name, .layers = 3, .has_biases = false, .batch_first = true}, 1);
    check_layer({.name = name, .layers = 2, .is_bidirectional = true, .batch_first = true});
  }
}

TEST_CASE("projected LSTM") {
  check_layer({.name = "lstm", .projection = 2});
  check_layer({.name = "lstm",
               .layers = 2,
               .has_biases = false,
               .is_bidirectional = true,
               .projection = 2});
}

TEST_CASE("recurrent layers of halves and doubles") {
  for (const std::string& name : kNames) {
    check_layer({.name = name, .dtype = DType::f16}, 2, 4e-3);
    check_layer({.name = name, .dtype = DType::f64}, 2, 1e-12);
  }
}

TEST_CASE("initial states that are constants") {
  const Layer layer{.name = "lstm"};
  const Parameters all = parameters(layer);
  check_with(all, {call(layer, all, "[torch.zeros([1, 2, 4]), torch.zeros([1, 2, 4])]") + "[0]"},
             {randn({5, 2, kInput}, 50)});
}

TEST_CASE("single cells, with and without biases") {
  for (const DType dtype : {DType::f32, DType::f16})
    for (const std::string& name : kNames) {
      const Parameters all = parameters({.name = name, .dtype = dtype});
      const bool is_lstm = name == "lstm";
      const std::string start =
          "torch." + name + "_cell(x, " + (is_lstm ? "[y, z]" : "y") + ", self.p0, self.p1";
      std::vector<ir::Tensor> inputs = {randn({2, kInput}, 50, dtype),
                                        randn({2, kHidden}, 51, dtype)};
      if (is_lstm) inputs.push_back(randn({2, kHidden}, 52, dtype));
      check_with(all, {start + ", self.p2, self.p3)", start + ")"}, inputs,
                 dtype == DType::f16 ? 4e-3 : 1e-5);
    }
}

TEST_CASE("dropout in training is refused") {
  const Layer layer{.name = "gru", .layers = 2};
  const Parameters all = parameters(layer);
  std::string text = call(layer, all, "y");
  text.replace(text.find("0.0, False"), 10, "0.5, True");
  CHECK_EQ(
      export_error(with_parameters(text, 2, all),
                   {randn({5, 2, kInput}, 1), randn({2, 2, kHidden}, 2)}, newest_target()),
      "error[unsupported-argument]: aten::gru.input: train=true has no translation for "
      "tract@0.23.9\n"
      "  --> the model (Model)\n"
      "  why:  it generates random numbers, so a run of the engine cannot be compared with torch\n"
      "  help: call model.eval() before saving the model\n");
}

}  // namespace
}  // namespace t2n::test::rnn_tests
