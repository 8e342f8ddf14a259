// SPDX-License-Identifier: Apache-2.0
// Recurrent layers with dynamic quantisation: the input of all time steps is quantised at once, the
// state of each time step separately.
#include <algorithm>
#include <array>

#include "src/diag/error.h"
#include "src/quant/layers.h"
#include "src/quant/rules.h"

namespace t2n::quant {
namespace {

using States = std::vector<ValueId>;  ///< h, and c of an LSTM

/// Weights as centred integers with their scales; 16-bit weights have no scales.
struct Linear {
  ValueId weight = ir::kNoValue;
  ValueId bias = ir::kNoValue;
  std::vector<double> scales = {};
  bool is_reduced = false;
};

Linear read_linear(QuantBuilder& b, ValueId weight, ValueId bias, bool is_reduced) {
  Linear out;
  if (bias != ir::kNoValue) out.bias = b.resolve(bias);
  out.is_reduced = is_reduced;
  if (const auto& info = b.info_at(weight)) {
    for (const double scale : info->scales) out.scales.push_back(as_f32(scale));
    out.weight = b.centred_at(weight);
  } else {
    out.weight = b.resolve(weight);
    T2N_ASSERT(ir::is_float(b.dtype(out.weight)), "a weight of integers has no scale");
    out.weight = b.cast(out.weight, DType::f32);
  }
  return out;
}

ValueId product(QuantBuilder& b, ValueId x, ValueId weight, ir::Attr bias) {
  ir::Shape shape = b.shape(x);
  shape.back() = b.shape(weight).at(0);
  return b.emit("aten::linear",
                {{"input", TensorRef{x}}, {"weight", TensorRef{weight}}, {"bias", std::move(bias)}},
                DType::f32, shape);
}

ValueId apply_layer(QuantBuilder& b, const Linear& layer, ValueId x) {
  const bool has_bias = layer.bias != ir::kNoValue;
  if (layer.scales.empty())
    return product(b, x, layer.weight,
                   has_bias ? ir::Attr(TensorRef{layer.bias}) : ir::Attr(ir::None{}));
  const Quantised input = quantised_by_range(b, x, layer.is_reduced);
  const ValueId sums = product(b, input.centred, layer.weight, ir::None{});
  const ValueId y =
      b.times(b.binary("aten::mul.Tensor", sums, input.scale), layer.scales, b.rank(x) - 1);
  return has_bias ? b.binary("aten::add.Tensor", y, layer.bias) : y;
}

ValueId tanh(QuantBuilder& b, ValueId x) { return b.unary("aten::tanh", x); }
ValueId sigmoid_of(QuantBuilder& b, ValueId x) { return b.unary("aten::sigmoid", x); }

/// One of the gates, which are concatenated along the last axis.
ValueId gate(QuantBuilder& b, ValueId gates, int which, const Dim& width) {
  return b.slice(gates, b.rank(gates) - 1, Dim(which) * width, Dim(which + 1) * width);
}

/// Arguments: the products of the input and of the state with their weights, and the old states.
/// Result: the new states.
using CellStep = States (*)(QuantBuilder& b, ValueId input, ValueId hidden, const States& states);

States lstm(QuantBuilder& b, ValueId input, ValueId hidden, const States& states) {
  const Dim width = b.shape(states[1]).back();
  const ValueId gates = add(b, hidden, input);
  const ValueId in = sigmoid_of(b, gate(b, gates, 0, width));
  const ValueId forget = sigmoid_of(b, gate(b, gates, 1, width));
  const ValueId cell = tanh(b, gate(b, gates, 2, width));
  const ValueId out = sigmoid_of(b, gate(b, gates, 3, width));
  const ValueId c = add(b, mul(b, forget, states[1]), mul(b, in, cell));
  return {mul(b, out, tanh(b, c)), c};
}

States gru(QuantBuilder& b, ValueId input, ValueId hidden, const States& states) {
  const Dim width = b.shape(states[0]).back();
  const auto both = [&](int which) {
    return add(b, gate(b, hidden, which, width), gate(b, input, which, width));
  };
  const ValueId reset = sigmoid_of(b, both(0));
  const ValueId keep = sigmoid_of(b, both(1));
  const ValueId fresh =
      tanh(b, add(b, gate(b, input, 2, width), mul(b, gate(b, hidden, 2, width), reset)));
  const ValueId change = b.binary("aten::sub.Tensor", states[0], fresh);
  return {add(b, mul(b, change, keep), fresh)};
}

States rnn_tanh(QuantBuilder& b, ValueId input, ValueId hidden, const States&) {
  return {tanh(b, add(b, hidden, input))};
}
States rnn_relu(QuantBuilder& b, ValueId input, ValueId hidden, const States&) {
  return {b.relu(add(b, hidden, input))};
}

/// One direction of one layer.
struct Cell {
  Linear input;
  Linear hidden;
};

ValueId input_of(ir::Graph& body, const char* name, DType dtype, ir::Shape shape) {
  body.inputs.push_back(ir::add_value(body, {name, dtype, std::move(shape), {}}));
  return body.inputs.back();
}

/// Sets a body's results, with arbitrary names.
void finish(QuantBuilder& b, ir::Graph& body, const States& results) {
  body.outputs = results;
  for (size_t i = 0; i < results.size(); ++i) body.output_names.push_back(cat("result_", i));
  b.finish();
}

/// One iteration: its inputs are a row of the input's product, the states, and the state's weight
/// and bias; it stacks h.
ir::Graph iteration_body(const QuantBuilder& outer, CellStep step, const Linear& hidden,
                         ir::ValueId rows, const States& states, const ir::Node& at) {
  ir::Graph body;
  body.name = "turn";
  outer.copy_locations(body);
  constexpr std::array<const char*, 2> kStates = {"h", "c"};
  input_of(body, "turn", DType::i64, {});
  ir::Shape row = outer.shape(rows);
  row.erase(row.begin());
  const ValueId input = input_of(body, "x", DType::f32, row);
  States before;
  for (size_t i = 0; i < states.size(); ++i)
    before.push_back(input_of(body, kStates.at(i), DType::f32, outer.shape(states[i])));
  Linear layer = hidden;
  layer.weight = input_of(body, "w", DType::f32, outer.shape(hidden.weight));
  if (hidden.bias != ir::kNoValue)
    layer.bias = input_of(body, "b", DType::f32, outer.shape(hidden.bias));
  QuantBuilder b(body);
  ir::Node location;
  location.scope = at.scope;
  location.source = at.source;
  location.outputs = {before[0]};
  b.begin(std::move(location));
  States results = step(b, input, apply_layer(b, layer, before[0]), before);
  results.insert(results.begin(), results[0]);
  finish(b, body, results);
  return body;
}

/// [T, B, H] and the last states; starts at the last time step if reversed.
States run(QuantBuilder& b, CellStep step, const Cell& cell, ValueId x, const States& states,
           bool is_reversed) {
  const ValueId rows = apply_layer(b, cell.input, x);
  ir::Scan scan;
  scan.length = b.size(rows, 0);
  scan.scanned = {rows};
  scan.scanned_axes = {0};
  scan.scanned_reversed = {is_reversed};
  scan.initial = states;
  scan.captured = {cell.hidden.weight};
  if (cell.hidden.bias != ir::kNoValue) scan.captured.push_back(cell.hidden.bias);
  scan.stacked_axes = {0};
  scan.stacked_reversed = {is_reversed};
  return b.loop(scan, iteration_body(b, step, cell.hidden, rows, states, b.node()));
}

ValueId join(QuantBuilder& b, const States& parts, int axis) {
  if (parts.size() == 1) return parts[0];
  ir::Shape shape = b.shape(parts[0]);
  Dim& size = shape[axis];
  size = Dim(static_cast<int64_t>(parts.size())) * size;
  return b.emit("aten::cat", {{"tensors", ir::TensorRefs{parts}}, {"dim", Dim(axis)}}, DType::f32,
                shape);
}

std::vector<Cell> read_cells(QuantBuilder& b) {
  const States w_ih = b.originals("w_ih"), w_hh = b.originals("w_hh");
  const States b_ih = b.originals("b_ih"), b_hh = b.originals("b_hh");
  const auto& reduced = std::get<std::vector<bool>>(*b.find("reduce_range"));
  std::vector<Cell> out;
  for (size_t i = 0; i < w_ih.size(); ++i)
    out.push_back({read_linear(b, w_ih[i], b_ih[i], reduced[i]),
                   read_linear(b, w_hh[i], b_hh[i], reduced[i])});
  return out;
}

States read_states(QuantBuilder& b) {
  return std::holds_alternative<ir::TensorRefs>(*b.find("hx")) ? b.dequantised_list("hx")
                                                               : States{b.dequantised("hx")};
}

bool refuse_layers(QuantBuilder& b) {
  b.ignore({"has_biases", "num_layers", "dtype", "use_dynamic"}, "the packed parameters have them");
  b.ignore({"dropout"}, "it is for training");
  if (b.has("batch_sizes"))
    b.refuse("it runs over a packed sequence",
             "pass the padded tensor to the layer, without pack_padded_sequence");
  else if (b.flag("train", false) && b.scalar("dropout", 0) != 0)
    b.refuse("dropout draws random numbers", "call model.eval() before saving the model");
  else
    return false;
  return true;
}

/// x: [T, B, I]; states: [layers * directions, B, H].
void define_layers(QuantBuilder& b, CellStep step) {
  if (refuse_layers(b)) return;
  const bool batch_first = b.flag("batch_first", false);
  const size_t directions = b.flag("bidirectional", false) ? 2 : 1;
  const std::vector<Cell> cells = read_cells(b);
  const States initial = read_states(b);
  std::vector<States> last(initial.size());
  ValueId x = b.dequantised("input");
  if (batch_first) x = b.permute(x, {1, 0, 2});
  for (size_t first = 0; first < cells.size(); first += directions) {
    States sequences;
    for (size_t i = first; i < first + directions; ++i) {
      States states;
      for (const ValueId all : initial) states.push_back(b.select(all, 0, static_cast<int64_t>(i)));
      const States results = run(b, step, cells[i], x, states, i > first);
      sequences.push_back(results[0]);
      for (size_t s = 0; s < last.size(); ++s) last[s].push_back(results[s + 1]);
    }
    x = join(b, sequences, 2);
  }
  b.define(batch_first ? b.permute(x, {1, 0, 2}) : x);
  for (size_t s = 0; s < last.size(); ++s) {
    for (ValueId& each : last[s]) each = b.unsqueeze(each, 0);
    b.define(join(b, last[s], 0), static_cast<int>(s) + 1);
  }
}

void lstm_layers(QuantBuilder& b) { define_layers(b, lstm); }
void gru_layers(QuantBuilder& b) { define_layers(b, gru); }

void define_cell(QuantBuilder& b, CellStep step) {
  constexpr bool kReduced = true;  // LibTorch's cells do not test it
  b.ignore({"b_ih", "b_hh", "bias_ih", "bias_hh"}, "the packed weights have their biases");
  const Linear input = read_linear(b, b.original("w_ih_weight"), b.original("w_ih_bias"), kReduced);
  const Linear hidden =
      read_linear(b, b.original("w_hh_weight"), b.original("w_hh_bias"), kReduced);
  const States states = read_states(b);
  const States results = step(b, apply_layer(b, input, b.dequantised("input")),
                              apply_layer(b, hidden, states[0]), states);
  for (size_t i = 0; i < results.size(); ++i) b.define(results[i], static_cast<int>(i));
}

void lstm_cell(QuantBuilder& b) { define_cell(b, lstm); }
void gru_cell(QuantBuilder& b) { define_cell(b, gru); }
void rnn_tanh_cell(QuantBuilder& b) { define_cell(b, rnn_tanh); }
void rnn_relu_cell(QuantBuilder& b) { define_cell(b, rnn_relu); }

}  // namespace

const QuantRules& recurrent_rules() {
  static const QuantRules rules = {{"quantized_lstm", lstm_layers}, {"quantized_gru", gru_layers}};
  return rules;
}

const QuantRules& cell_rules() {
  static const QuantRules rules = {{"quantized_lstm_cell_dynamic", lstm_cell},
                                   {"quantized_gru_cell_dynamic", gru_cell},
                                   {"quantized_rnn_tanh_cell_dynamic", rnn_tanh_cell},
                                   {"quantized_rnn_relu_cell_dynamic", rnn_relu_cell}};
  return rules;
}

}  // namespace t2n::quant
