// SPDX-License-Identifier: Apache-2.0
// Recurrent layers as tract_core_scan over time, and their single cells.
#include <algorithm>

#include "ops/layers/families.h"
#include "ops/layers/scan.h"
#include "ops/structure/positions.h"
#include "ops/structure/product.h"
#include "src/diag/error.h"
#include "src/tract_forms/body_sizes.h"
#include "src/translate/arith.h"
#include "src/translate/body_sizes.h"
#include "src/translate/registry.h"
#include "src/translate/unbacked_sizes.h"

namespace t2n::ops {
namespace {

/// Parameters of one direction of one layer. `projection` is w_hr of an LSTM with proj_size.
struct Weights {
  Ref input;
  Ref state;
  std::optional<Ref> input_bias;
  std::optional<Ref> state_bias;
  std::optional<Ref> projection;
};

/// The differences between kinds of layers. The scan runs the fragment `step`, or `masked_step` if
/// sequences have lengths.
struct Kind {
  std::string_view name;
  std::string_view step;
  std::string_view masked_step;
  bool has_cell_state = false;
  bool keeps_state_bias = false;  ///< it is not simply added to the input's bias
};
constexpr Kind kKinds[] = {
    {"lstm", "t2n_lstm_step", "t2n_lstm_held_step", true, false},
    {"gru", "t2n_gru_step", "t2n_gru_held_step", false, true},
    {"rnn_tanh", "t2n_rnn_tanh_step", "t2n_rnn_tanh_held_step", false, false},
    {"rnn_relu", "t2n_rnn_relu_step", "t2n_rnn_relu_held_step", false, false},
};

const Kind& kind_of(const OpView& op) {
  return *std::find_if(std::begin(kKinds), std::end(kKinds),
                       [&](const Kind& kind) { return kind.name == ir::op_short_name(op.op()); });
}

/// A layer as the operator describes it; tensors are f32 if the model has f16.
struct Layers {
  Ref x;                    ///< [T, B, I]
  std::vector<Ref> states;  ///< h, and c of an LSTM: [layers * directions, B, H]
  std::vector<Weights> weights;
  std::optional<Ref> mask;  ///< [T, B, 1]: true if the sequence has this step
  int directions = 1;
  bool batch_first = false;
  int count() const { return static_cast<int>(weights.size()) / directions; }
};

std::vector<Weights> read_weights(const OpView& op, Emitter& out, int cells) {
  std::vector<Ref> params = op.tensors("params");
  for (Ref& param : params) param = widened(out, param);
  const bool has_biases = op.boolean("has_biases");
  const size_t each = params.size() / static_cast<size_t>(cells);
  const size_t plain = has_biases ? 4 : 2;
  T2N_ASSERT(
      each * static_cast<size_t>(cells) == params.size() && (each == plain || each == plain + 1),
      params.size(), " parameters for ", cells, " cells");
  std::vector<Weights> all;
  for (size_t i = 0; i < params.size(); i += each) {
    Weights w;
    w.input = params[i];
    w.state = params[i + 1];
    if (has_biases) w.input_bias = params[i + 2];
    if (has_biases) w.state_bias = params[i + 3];
    if (each > plain) w.projection = params[i + plain];
    all.push_back(w);
  }
  return all;
}

void check_inference(const OpView& op) {
  const double dropout = op.f64("dropout");
  if (op.boolean("train") && dropout != 0)
    op.refuse("train", Limit::random_numbers, "call model.eval() before saving the model");
}

/// [B, T, …] <-> [T, B, …]
Ref swapped_if(Emitter& out, Ref x, bool batch_first) {
  return batch_first ? out.transpose(x, {1, 0, 2}) : x;
}

/// [T, B, 1]. tract fails on constants that a scan iterates over, so it must not know that both
/// choices are equal.
std::optional<Ref> mask_of(const OpView& op, Emitter& out, Ref x) {
  if (!op.has_argument("lengths")) return {};
  const Ref lengths = op.tensor("lengths");
  const Ref mask =
      compare(out, "lt", iota(out, out.shape(x)[0], 0, 3), out.unsqueeze(lengths, {0, 2}));
  if (!out.constant_value(lengths)) return mask;
  const Ref first = out.slice(x, 2, 0, 1);
  return select(out, compare(out, "eq", first, first), mask, mask);
}

Layers read_layers(const OpView& op, Emitter& out, const Kind& kind) {
  check_inference(op);
  Layers layers;
  layers.directions = op.boolean("bidirectional") ? 2 : 1;
  layers.batch_first = op.boolean("batch_first");
  layers.x = swapped_if(out, widened(out, op.tensor("input")), layers.batch_first);
  layers.mask = mask_of(op, out, layers.x);
  layers.states = kind.has_cell_state ? op.tensors("hx") : std::vector<Ref>{op.tensor("hx")};
  for (Ref& state : layers.states) state = widened(out, state);
  const auto cells = static_cast<int>(op.i64("num_layers")) * layers.directions;
  layers.weights = read_weights(op, out, cells);
  return layers;
}

std::optional<Ref> bias_before_scan(Emitter& out, const Kind& kind, const Weights& w) {
  if (kind.keeps_state_bias || !w.input_bias) return w.input_bias;
  return add(out, *w.input_bias, *w.state_bias);
}

/// [1, 3H], zeros if the layer has no biases.
Ref row_of_biases(Emitter& out, const Weights& w) {
  if (w.state_bias) return out.unsqueeze(*w.state_bias, {0});
  return out.full(out.scalar(0.0, out.dtype(w.state)), {1, out.shape(w.state)[0]});
}

nnef::Value full_inputs(Emitter& out, const Kind& kind, const Weights& w) {
  nnef::Values full = {scan_pair("w", out.operand(w.state))};
  if (kind.keeps_state_bias) full.push_back(scan_pair("b", out.operand(row_of_biases(out, w))));
  if (w.projection) full.push_back(scan_pair("p", out.operand(*w.projection)));
  return nnef::array(std::move(full));
}

constexpr const char* kStates[] = {"h", "c"};
constexpr const char* kNextStates[] = {"h_next", "c_next"};

nnef::Value output(const char* name, const char* which, int step) {
  return nnef::tuple(
      {nnef::string(name), nnef::string(which), nnef::integer(0), nnef::integer(step)});
}

std::string body_of(const Kind& kind, const Weights& w, bool is_masked) {
  if (w.projection) return is_masked ? "t2n_lstm_projected_held_step" : "t2n_lstm_projected_step";
  return std::string(is_masked ? kind.masked_step : kind.step);
}

/// The sizes of a state that the body cannot derive from it.
std::vector<ir::Symbol> underivable_sizes(const Shape& state) {
  std::set<ir::Symbol> used;
  for (const Dim& size : state)
    for (const ir::Symbol& symbol : size.symbols()) used.insert(symbol);
  return tract_forms::unknown_sizes(used, {state});
}

Attributes scan_attributes(Emitter& out, const Kind& kind, const Weights& w, Ref gates,
                           std::optional<Ref> mask, const std::vector<Ref>& states,
                           const std::vector<ir::Symbol>& sizes, int step) {
  nnef::Values state, outputs = {output("y", "full", step)};
  for (size_t i = 0; i < states.size(); ++i) {
    state.push_back(nnef::tuple(
        {nnef::string(kStates[i]), out.operand(states[i]), nnef::string(kNextStates[i])}));
    outputs.push_back(output(kNextStates[i], "last", 1));
  }
  const auto scanned = [&](const char* name, Ref x) {
    return nnef::tuple({nnef::string(name), out.operand(x), nnef::integer(0), nnef::integer(step)});
  };
  nnef::Values sequences = {scanned("x", gates)};
  if (mask) sequences.push_back(scanned("m", *mask));
  std::string body = body_of(kind, w, mask.has_value());
  if (!sizes.empty()) body = with_sizes(out, body, sizes.size());
  for (size_t i = 0; i < sizes.size(); ++i) {
    const std::string next = size_name(i, true);
    state.push_back(nnef::tuple({nnef::string(size_name(i, false)),
                                 out.operand(size_carrier(out, sizes[i])), nnef::string(next)}));
    outputs.push_back(output(next.c_str(), "last", 1));
  }
  return {{"body", body},
          {"scan", nnef::array(std::move(sequences))},
          {"full", full_inputs(out, kind, w)},
          {"state", nnef::array(std::move(state))},
          {"output", nnef::array(std::move(outputs))},
          {"skip", 0},
          {"reset_every_turn", out.is_streamed(out.shape(gates)[0]) ? 0 : 1},
          {"external_state", 0}};
}

/// y [T, B, H], then the last states [B, H]. One product before the scan gives the input's share of
/// all gates. `step` is 1, or -1 from the last step to the first. States do not change after the
/// end of a sequence: the last ones are those of its last step; backwards, the initial ones are
/// kept until then.
std::vector<Ref> run_direction(const OpView& op, Emitter& out, const Kind& kind, const Weights& w,
                               Ref x, std::optional<Ref> mask, const std::vector<Ref>& states,
                               int step) {
  const Ref gates = linear_layer(op, out, x, w.input, bias_before_scan(out, kind, w));
  const DType dtype = out.dtype(x);
  Shape sequence = out.shape(states[0]);
  sequence.insert(sequence.begin(), out.shape(x)[0]);
  std::vector<TensorType> types = {{dtype, sequence}};
  for (const Ref state : states) types.push_back({dtype, out.shape(state)});
  const std::vector<ir::Symbol> sizes = underivable_sizes(out.shape(states[0]));
  for (const ir::Symbol& size : sizes) types.push_back(carrier_type(size));
  return out.calls("tract_core_scan", {},
                   scan_attributes(out, kind, w, gates, mask, states, sizes, step), types);
}

std::vector<Ref> states_of(Emitter& out, const Layers& layers, int cell) {
  std::vector<Ref> mine;
  for (const Ref state : layers.states)
    mine.push_back(out.squeeze(out.slice(state, 0, cell, cell + 1), {0}));
  return mine;
}

/// [layers * directions, B, H] as output `index`.
void state_result(const OpView& op, Emitter& out, std::vector<Ref> states, int index) {
  if (!op.is_used(index)) return;
  for (Ref& state : states) state = out.unsqueeze(state, {0});
  out.result(out.cast(out.concat(states, 0), op.dtype(index)), index);
}

void layers(const OpView& op, Emitter& out) {
  const Kind& kind = kind_of(op);
  const Layers all = read_layers(op, out, kind);
  std::vector<std::vector<Ref>> last(all.states.size());
  Ref x = all.x;
  for (int layer = 0; layer < all.count(); ++layer) {
    std::vector<Ref> sequences;
    for (int direction = 0; direction < all.directions; ++direction) {
      const int cell = layer * all.directions + direction;
      const auto results = run_direction(op, out, kind, all.weights[cell], x, all.mask,
                                         states_of(out, all, cell), direction == 0 ? 1 : -1);
      sequences.push_back(results[0]);
      for (size_t i = 0; i < last.size(); ++i) last[i].push_back(results[i + 1]);
    }
    x = out.concat(sequences, 2);
  }
  if (all.mask && op.is_used(0)) x = select(out, *all.mask, x, like(out, 0, x));
  out.result(out.cast(swapped_if(out, x, all.batch_first), op.dtype()));
  for (size_t i = 0; i < last.size(); ++i) state_result(op, out, last[i], static_cast<int>(i) + 1);
}

Ref any_true(Emitter& out, Ref x) {
  return out.squeeze(reduce(out, "max_reduce", out.cast(x, DType::i64), {0}), {0});
}

/// The same numbers. The model fails where torch does: for sequences that are empty, longer than
/// the tensor, or longer than the previous one.
void sequence_lengths(const OpView& op, Emitter& out) {
  const Ref lengths = op.tensor("self");
  const Dim most = op.dim("most"), count = out.shape(lengths)[0];
  const Ref one = out.scalar(1, DType::i64);
  require_at_runtime(out, any_true(out, compare(out, "lt", lengths, one)));
  require_at_runtime(out, any_true(out, compare(out, "gt", lengths, out.size(most, DType::i64))));
  const Ref positions = iota(out, count, 0, 1);
  const Ref previous =
      take(out, lengths, maximum(out, sub(out, positions, one), like(out, 0, positions)), 0);
  require_at_runtime(out, any_true(out, compare(out, "gt", lengths, previous)));
  out.result(lengths);
}

/// One for each step that any sequence has.
void batch_sizes(const OpView& op, Emitter& out) {
  const Ref mask = op.tensor("mask");
  if (!out.has(target::Feature::non_zero) || !is_unbacked(op.shape()))
    op.refuse_op(Limit::data_dependent_shape,
                 "give pad_packed_sequence total_length=x.size(1), or export for tract 0.23.5 or "
                 "newer");
  finish(op, out, take(out, op.tensor("self"), nonzero_indices(out, mask, op.shape()[0])[0], 0));
}

void refuse_packing(const OpView& op, Emitter&) {
  op.refuse_op(Limit::packed_sequence,
               "pack them by pack_padded_sequence in the same method, outside of loops");
}

/// x . w^T + b
Ref share(const OpView& op, Emitter& out, Ref x, std::string_view weight, std::string_view bias) {
  auto b = op.opt_tensor(bias);
  if (b) b = widened(out, *b);
  return linear_layer(op, out, x, widened(out, op.tensor(weight)), b);
}

Ref input_share(const OpView& op, Emitter& out) {
  return share(op, out, widened(out, op.tensor("input")), "w_ih", "b_ih");
}

void lstm_cell(const OpView& op, Emitter& out) {
  const std::vector<Ref> states = op.tensors("hx");
  const Ref c = widened(out, states.at(1));
  const Ref gates =
      add(out, input_share(op, out), share(op, out, widened(out, states.at(0)), "w_hh", "b_hh"));
  const TensorType type{out.dtype(c), out.shape(c)};
  const auto results = out.calls(op.nnef(), {gates, c}, {}, {type, type});
  for (int i = 0; i < 2; ++i) out.result(out.cast(results[i], op.dtype(i)), i);
}

void gru_cell(const OpView& op, Emitter& out) {
  const Ref h = widened(out, op.tensor("hx"));
  const Ref x = input_share(op, out);
  const Ref s = share(op, out, h, "w_hh", "b_hh");
  out.result(out.cast(out.call(op.nnef(), {x, s, h}, {}, out.dtype(h), out.shape(h)), op.dtype()));
}

void rnn_cell(const OpView& op, Emitter& out) {
  const Ref x = input_share(op, out);
  const Ref s = share(op, out, widened(out, op.tensor("hx")), "w_hh", "b_hh");
  out.result(out.cast(out.elementwise(op.nnef(), {add(out, x, s)}), op.dtype()));
}

struct Layer {
  std::string_view op;
  std::string_view doc;
};
constexpr Layer kLayers[] = {
    {"aten::lstm.input", "LSTM layers over time; outputs the sequence and the last h and c"},
    {"aten::gru.input", "GRU layers over time; outputs the sequence and the last h"},
    {"aten::rnn_tanh.input", "Elman layers with tanh over time; the sequence and the last h"},
    {"aten::rnn_relu.input", "Elman layers with relu over time; the sequence and the last h"},
};
constexpr Layer kPaddedLayers[] = {
    {"t2n::lstm.padded", "LSTM layers over sequences of several lengths; zeros after their ends"},
    {"t2n::gru.padded", "GRU layers over sequences of several lengths; zeros after their ends"},
    {"t2n::rnn_tanh.padded", "Elman layers with tanh over sequences of several lengths"},
    {"t2n::rnn_relu.padded", "Elman layers with relu over sequences of several lengths"},
};
constexpr Layer kPackedLayers[] = {
    {"aten::lstm.data", "LSTM layers over a packed sequence"},
    {"aten::gru.data", "GRU layers over a packed sequence"},
    {"aten::rnn_tanh.data", "Elman layers with tanh over a packed sequence"},
    {"aten::rnn_relu.data", "Elman layers with relu over a packed sequence"},
    {"aten::_pack_padded_sequence", "the steps of sequences of several lengths, one by one"},
    {"aten::_pad_packed_sequence", "packed sequences, padded at their ends"},
};

Bounds length_bounds(const OperandBounds& x) { return {1, x.most()}; }

}  // namespace

void register_rnn(Registry& r) {
  for (const Layer& layer : kLayers)
    r.same({layer.op},
           {"tract_core_scan", layer.doc, layers, {}, "train=True with dropout is refused"});
  for (const Layer& layer : kPaddedLayers)
    r.same({layer.op},
           {"tract_core_scan", layer.doc, layers, {}, "train=True with dropout is refused"});
  r.same({"t2n::sequence_lengths"},
         {"copy", "self, asserted to be 1 to `most` and not to increase", sequence_lengths});
  r.same({"t2n::batch_sizes"}, {"tract_core_gather",
                                "self[mask]: the number of sequences at each step",
                                batch_sizes,
                                {},
                                "always for khronos and tract before 0.23.5"});
  for (const Layer& layer : kPackedLayers)
    r.same({layer.op}, {"expand-packed",
                        layer.doc,
                        refuse_packing,
                        {},
                        "batch sizes that the model did not pack by pack_padded_sequence"});
  r.same({"aten::lstm_cell"}, {"t2n_lstm_cell", "one step of an LSTM", lstm_cell});
  r.same({"aten::gru_cell"}, {"t2n_gru_cell", "one step of a GRU", gru_cell});
  r.same({"aten::rnn_tanh_cell"},
         {"tanh", "tanh(w_ih . input + b_ih + w_hh . hx + b_hh)", rnn_cell});
  r.same({"aten::rnn_relu_cell"},
         {"relu", "relu(w_ih . input + b_ih + w_hh . hx + b_hh)", rnn_cell});
  r.bounds({length_bounds}, "t2n::sequence_lengths");
  r.bounds({bounds::kept}, "t2n::batch_sizes");
  r.zero_signs(ZeroSign::dropped,
               "lstm gru rnn_tanh rnn_relu t2n::lstm.padded t2n::gru.padded "
               "t2n::rnn_tanh.padded t2n::rnn_relu.padded lstm_cell gru_cell rnn_tanh_cell "
               "rnn_relu_cell");
}

}  // namespace t2n::ops
