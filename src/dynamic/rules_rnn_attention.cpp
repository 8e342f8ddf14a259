// Recurrent networks and attention.
#include "src/diag/error.h"
#include "src/dynamic/shape_rule.h"

namespace t2n::dynamic {
namespace {

using ir::Shape;

/// The outputs of all time steps; both directions are concatenated.
Shape outputs(const ShapeView& op, const Shape& state) {
  Shape out = op.shape("input");
  out.back() = op.boolean("bidirectional") ? 2 * state.back() : state.back();
  return out;
}

Shapes rnn(const ShapeView& op) { return {outputs(op, op.shape("hx")), op.shape("hx")}; }

Shapes lstm(const ShapeView& op) {
  const Shapes state = op.shapes("hx");
  return {outputs(op, state.at(0)), state.at(0), state.at(1)};
}

Shapes lengths(const ShapeView& op) { return {op.shape("self")}; }

Shapes cell(const ShapeView& op) {
  return op.op().find("lstm") == std::string_view::npos ? Shapes{op.shape("hx")} : op.shapes("hx");
}

/// The number of queries by the width of values.
Shape attended(const ShapeView& op) {
  const Shape &query = op.shape("query"), &value = op.shape("value");
  Shape out = op.boolean("enable_gqa")
                  ? all_but_last(query, 2)
                  : op.broadcast(all_but_last(query, 2), all_but_last(value, 2));
  const Shape& key = op.shape("key");
  op.unified(query.back(), key.back());
  op.unified(key.at(key.size() - 2), value.at(value.size() - 2));
  out.push_back(query.at(query.size() - 2));
  Shape scores = out;
  scores.push_back(value.at(value.size() - 2));
  op.require_fit("attn_mask", scores);
  out.push_back(value.back());
  return out;
}

Shapes attention(const ShapeView& op) { return {attended(op)}; }

Shapes flash_attention(const ShapeView& op) {
  return {attended(op), all_but_last(op.shape("query"), 1)};
}

/// The weights are averaged over heads if requested; a fused kernel returns none.
Shapes multi_head(const ShapeView& op) {
  const Shape &query = op.shape("query"), &key = op.shape("key");
  if (op.outputs() < 2) return {query};
  Shape weights = {query.at(0), query.at(1), key.at(1)};
  const bool averages = op.boolean("average_attn_weights");
  if (!op.boolean("need_weights") || !averages)
    weights.insert(weights.begin() + 1, op.dim("num_head"));
  return {query, weights};
}

Shapes encoder_layer(const ShapeView& op) { return {op.shape("src")}; }

}  // namespace

void add_rnn_attention_rules(ShapeRules& r) {
  r.add(rnn, "gru.input rnn_relu.input rnn_tanh.input");
  r.add(rnn, "t2n::gru.padded t2n::rnn_relu.padded t2n::rnn_tanh.padded");
  r.add(lstm, "lstm.input t2n::lstm.padded");
  r.add(lengths, "t2n::sequence_lengths");
  r.add(cell, "gru_cell lstm_cell rnn_relu_cell rnn_tanh_cell");
  r.add(attention, "scaled_dot_product_attention");
  r.add(flash_attention, "_scaled_dot_product_flash_attention_for_cpu");
  r.add(multi_head, "_native_multi_head_attention");
  r.add(encoder_layer, "_transformer_encoder_layer_fwd");
}

}  // namespace t2n::dynamic
