// SPDX-License-Identifier: Apache-2.0
// Packed sequences: recurrent layers over sequences of several lengths, and what is padded again.
#include "ir/evaluator.h"
#include "src/diag/error.h"
#include "src/model/torch_module.h"
#include "tests/ops/check_script.h"
#include "tests/support/dynamic.h"

namespace t2n::test::sequences_tests {
namespace {

using ir::DType;

constexpr int64_t kInput = 3;
constexpr int64_t kHidden = 4;
constexpr int64_t kSteps = 5;

struct Layer {
  std::string name;
  int64_t gates;
  bool has_biases = true;
  bool is_bidirectional = false;
  bool batch_first = true;
  int64_t projection = 0;
  int64_t layers = 1;
  DType dtype = DType::f32;
  std::string total = "5";  ///< steps of what is padded
  double padding = 0;
};

int64_t state_size(const Layer& layer) { return layer.projection > 0 ? layer.projection : kHidden; }
int64_t cells(const Layer& layer) { return layer.layers * (layer.is_bidirectional ? 2 : 1); }

Parameters parameters(const Layer& layer) {
  Parameters out;
  const auto add = [&](const ir::Ints& shape) {
    const auto seed = static_cast<uint64_t>(out.size() + 1);
    out.emplace_back("p" + std::to_string(out.size()),
                     uniform(shape, -0.6, 0.6, seed, layer.dtype));
  };
  const int64_t state = state_size(layer), rows = layer.gates * kHidden;
  for (int64_t cell = 0; cell < cells(layer); ++cell) {
    const bool is_first = cell < (layer.is_bidirectional ? 2 : 1);
    add({rows, is_first ? kInput : state * (layer.is_bidirectional ? 2 : 1)});
    add({rows, state});
    if (layer.has_biases) add({rows});
    if (layer.has_biases) add({rows});
    if (layer.projection > 0) add({state, kHidden});
  }
  return out;
}

Script model_of(const Layer& layer) {
  const Parameters all = parameters(layer);
  std::string list;
  for (const auto& [name, value] : all) list += (list.empty() ? "self." : ", self.") + name;
  const bool is_lstm = layer.name == "lstm";
  Script model = script(
      "def forward(self, x, n, h, c):\n"
      "    d, b = torch._pack_padded_sequence(x, n, $first)\n"
      "    y, $states = torch.$name(d, b, $given, [$list], $biases, $layers, 0.0, False, $both)\n"
      "    z, m = torch._pad_packed_sequence(y, b, $first, $padding, $total)\n"
      "    return z, m, $states\n",
      layer.batch_first, is_lstm ? "h1, c1" : "h1", layer.name, is_lstm ? "[h, c]" : "h + 0 * c",
      list, layer.has_biases, layer.layers, layer.is_bidirectional, layer.padding, layer.total);
  for (const auto& [name, value] : all) model = model.with(name, value);
  return model;
}

std::vector<ir::Tensor> inputs_of(const Layer& layer, const std::vector<double>& lengths) {
  const auto batch = static_cast<int64_t>(lengths.size());
  const ir::Ints input =
      layer.batch_first ? ir::Ints{batch, kSteps, kInput} : ir::Ints{kSteps, batch, kInput};
  const ir::Ints state = {cells(layer), batch, state_size(layer)};
  return {randn(input, 50, layer.dtype), values({batch}, lengths, DType::i64),
          randn(state, 51, layer.dtype),
          randn(layer.name == "lstm" ? ir::Ints{cells(layer), batch, kHidden} : state, 52,
                layer.dtype)};
}

void check_layer(const Layer& layer, double tolerance = 1e-5) {
  for (const target::Target& target : test_targets()) {
    CAPTURE(layer.name);
    CAPTURE(target::target_name(target));
    try {
      const Script model = model_of(layer);
      CHECK_CLOSE(export_and_run(model, inputs_of(layer, {5, 3, 3, 1}), target), rel(tolerance));
    } catch (const Error& error) {
      FAIL_CHECK(std::string(render_text(error.diagnostic())));
    }
  }
}

const std::vector<Layer> kLayers = {{"lstm", 4}, {"gru", 3}, {"rnn_tanh", 1}, {"rnn_relu", 1}};

Layer both_directions(Layer layer) {
  layer.is_bidirectional = true;
  layer.layers = 2;
  layer.padding = -1.5;
  return layer;
}

TEST_CASE("lengths are one to all steps, the longest first, or the graph does not run") {
  const auto runs = [](const std::vector<double>& lengths) {
    const auto count = static_cast<int64_t>(lengths.size());
    const ir::Graph graph =
        ir::parse(cat("graph m(%n: i64[", count, "]) -> (%l as \"y\") {\n  %l: i64[", count,
                      "] = t2n::sequence_lengths(self=%n, most=3)\n}"));
    try {
      ir::run_graph(graph, {values({count}, lengths, DType::i64)}, torch_module().evaluator());
      return true;
    } catch (const Error& error) {
      CHECK_EQ(error.diagnostic().id, "forward-failed");
      return false;
    }
  };
  CHECK(runs({2}));
  CHECK(runs({3, 2}));
  CHECK(runs({3, 3, 1}));
  CHECK_FALSE(runs({2, 3}));
  CHECK_FALSE(runs({3, 1, 2}));
  CHECK_FALSE(runs({4, 2}));
  CHECK_FALSE(runs({3, 0}));
}

TEST_CASE("layers over packed sequences, padded to a known size, on every target") {
  for (const Layer& layer : kLayers) {
    check_layer(layer);
    check_layer(both_directions(layer));
    Layer plain = layer;
    plain.has_biases = false;
    plain.batch_first = false;
    plain.total = "7";
    check_layer(plain);
  }
  check_layer({.name = "lstm", .gates = 4, .is_bidirectional = true, .projection = 2});
  check_layer({.name = "gru", .gates = 3, .dtype = DType::f64}, 1e-12);
  check_layer({.name = "lstm", .gates = 4, .dtype = DType::f16}, 4e-3);
}

TEST_CASE("sizes that follow from lengths, of one export") {
  for (Layer layer : kLayers) {
    layer.total = "b.size(0)";
    for (const Layer& each : {layer, both_directions(layer)}) {
      CAPTURE(each.name);
      std::vector<std::vector<ir::Tensor>> runs;
      for (const std::vector<double>& lengths : std::vector<std::vector<double>>{
               {4, 3, 2}, {5, 5, 5}, {5, 4, 1}, {3, 1, 1}, {1, 1, 1}, {2, 2, 2}})
        runs.push_back(inputs_of(each, lengths));
      try {
        CHECK_EQ(
            open_differences(unbacked_example(model_of(each), runs), newest_target(), rel(1e-5)),
            "");
      } catch (const Error& error) {
        FAIL_CHECK(std::string(render_text(error.diagnostic())));
      }
    }
  }
}

const std::vector<std::vector<ir::Tensor>> kSequences = {
    {randn({3, 4, 2}, 1), values({3}, {3, 2, 1}, DType::i64)},
    {randn({3, 4, 2}, 2), values({3}, {4, 4, 4}, DType::i64)},
    {randn({3, 4, 2}, 3), values({3}, {2, 2, 1}, DType::i64)}};

TEST_CASE("packed rows and batch sizes as tensors") {
  check_unbacked(
      {"torch._pack_padded_sequence(x, y, True)[0]", "torch._pack_padded_sequence(x, y, True)[1]",
       "torch._pack_padded_sequence(x.transpose(0, 1), y, False)[0].sum(0)",
       "torch._pad_packed_sequence(torch._pack_padded_sequence(x, y, True)[0].exp(), "
       "torch._pack_padded_sequence(x, y, True)[1], True, 2.0, -1)[0]",
       "torch._pad_packed_sequence(torch._pack_padded_sequence(x, y, True)[0], "
       "torch._pack_padded_sequence(x, y, True)[1], False, 0.0, 6)[0]"},
      kSequences);
}

TEST_CASE("the model fails for lengths that torch refuses") {
  for (const std::vector<double>& lengths :
       std::vector<std::vector<double>>{{5, 2, 1}, {3, 2, 0}, {1, 2, 3}}) {
    OpenExample example = unbacked_example(
        expression_script("torch._pack_padded_sequence(x, y, True)[1]", 2), kSequences);
    example.runs = {{{},
                     {kSequences[0][0], values({3}, lengths, DType::i64)},
                     {values({3}, {3, 2, 1}, DType::i64)}}};
    CHECK(open_differences(example, newest_target(), rel(1e-5)).find("engine-failed") !=
          std::string::npos);
  }
}

TEST_CASE("values behind the end of a sequence have no effect, not even NaN") {
  Layer layer{"lstm", 4};
  layer.is_bidirectional = true;
  std::vector<ir::Tensor> inputs = inputs_of(layer, {2, 1});
  std::vector<double> x = ir::to_f64(inputs[0]);
  for (size_t i = 2 * kInput; i < kSteps * kInput; ++i) x[i] = std::nan("");
  inputs[0] = values(inputs[0].shape, x);
  for (const target::Target& target : test_targets())
    CHECK_CLOSE(export_and_run(model_of(layer), inputs, target), rel(1e-5));
}

TEST_CASE("batch sizes from elsewhere are refused") {
  for (const Layer& layer : kLayers)
    for (const target::Target& target : test_targets()) {
      const std::string text =
          "torch." + layer.name + "(x, y, " + (layer.name == "lstm" ? "[z, z]" : "z") +
          ", [self.p0, self.p1, self.p2, self.p3], True, 1, 0.0, False, False)";
      CHECK_EQ(export_error(with_parameters(text, 3, parameters(layer)),
                            {randn({5, kInput}, 1), values({3}, {2, 2, 1}, DType::i64),
                             randn({1, 2, kHidden}, 2)},
                            target),
               "error[unsupported-op]: aten::" + layer.name + ".data has no translation for " +
                   target::target_name(target) +
                   " here\n"
                   "  --> the model (Model)\n"
                   "  why:  its sequences are unknown: its batch sizes do not come from a "
                   "pack_padded_sequence of the same graph\n"
                   "  help: pack them by pack_padded_sequence in the same method, outside of "
                   "loops\n");
    }
  check_refused(
      "torch._pad_packed_sequence(x, y, True, 0.0, 3)[0]",
      {randn({5, 2}, 1), values({3}, {2, 2, 1}, DType::i64)},
      "error[unsupported-op]: aten::_pad_packed_sequence has no translation for TARGET here\n"
      "  --> the model (Model)\n"
      "  why:  its sequences are unknown: its batch sizes do not come from a pack_padded_sequence "
      "of the same graph\n"
      "  help: pack them by pack_padded_sequence in the same method, outside of loops\n");
}

}  // namespace
}  // namespace t2n::test::sequences_tests
