// SPDX-License-Identifier: Apache-2.0
// Shapes of recurrent layers.
#include "ops/layers/families.h"
#include "src/diag/error.h"
#include "src/translate/registry.h"

namespace t2n::ops {
namespace {

/// The outputs of all time steps; both directions are concatenated.
Shape all_outputs(const ShapeView& op, const Shape& state) {
  Shape out = op.shape("input");
  out.back() = op.boolean("bidirectional") ? 2 * state.back() : state.back();
  return out;
}

Shapes rnn_shapes(const ShapeView& op) { return {all_outputs(op, op.shape("hx")), op.shape("hx")}; }

Shapes lstm_shapes(const ShapeView& op) {
  const Shapes state = op.shapes("hx");
  return {all_outputs(op, state.at(0)), state.at(0), state.at(1)};
}

Shapes cell_shapes(const ShapeView& op) {
  return op.op().find("lstm") == std::string_view::npos ? Shapes{op.shape("hx")} : op.shapes("hx");
}

/// As many as there are time steps, which depend on the lengths.
Shapes batch_sizes_shapes(const ShapeView& op) {
  op.broadcast(op.shape("self"), op.shape("mask"));
  return {{shapes::unbacked_size()}};
}

}  // namespace

void register_rnn_shapes(Registry& r) {
  r.shapes(batch_sizes_shapes, "t2n::batch_sizes");
  r.shapes(rnn_shapes,
           "gru.input rnn_relu.input rnn_tanh.input t2n::gru.padded t2n::rnn_relu.padded "
           "t2n::rnn_tanh.padded");
  r.shapes(lstm_shapes, "lstm.input t2n::lstm.padded");
  r.shapes(shapes::same, "t2n::sequence_lengths");
  r.shapes(cell_shapes, "gru_cell lstm_cell rnn_relu_cell rnn_tanh_cell");
}

}  // namespace t2n::ops
