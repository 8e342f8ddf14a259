// SPDX-License-Identifier: Apache-2.0
// The passes of src/passes.
#pragma once

#include <vector>

#include "src/passes/pass.h"

namespace t2n::passes {

/// Replaces packed sequences by padded ones, and layers over them by `t2n::lstm.padded` etc.
bool expand_packed(ir::Graph& graph, const PassContext& context);
/// Turns fused attention layers into linear layers, products and norms.
bool expand_attention(ir::Graph& graph, const PassContext& context);
/// Replaces symbols in shapes and arguments by their values in the attribute `sample_sizes`.
bool bind_sizes(ir::Graph& graph, const PassContext& context);
/// Removes operations and constants that no output needs, random ones included; graph inputs stay.
bool dead_code(ir::Graph& graph, const PassContext& context);
/// Folds batch norms with constant statistics into the convolution or linear layer that feeds them.
bool fold_batch_norm(ir::Graph& graph, const PassContext& context);
/// Makes the largest weights of each channel equal in layers with a ReLU or a pooling between them.
bool equalise(ir::Graph& graph, const PassContext& context);
/// Stores the results of constant quantisers as 8-bit integers, if they are integer-valued.
bool recognise_quantisation(ir::Graph& graph, const PassContext& context);
/// Evaluates operations on constants unless the result is larger than the operands it replaces.
bool fold_constants(ir::Graph& graph, const PassContext& context);
/// Replaces formulas of silu, gelu, hardswish and rms_norm by the single operation.
bool canonical_activations(ir::Graph& graph, const PassContext& context);
/// Replaces x * cos + rotate_half(x) * sin by t2n::apply_rope, if the target has it.
bool canonical_rope(ir::Graph& graph, const PassContext& context);
/// Makes torch's implicit dtype promotion explicit as `t2n::cast` operations.
bool explicit_promotion(ir::Graph& graph, const PassContext& context);

/// Computes in f16 what torch's autocast would; inputs and outputs keep their dtypes.
bool narrow_floats(ir::Graph& graph, const PassContext& context);

/// Rounds f32 inputs and outputs to f16, by casts to f16 and back; no pass of the table.
void round_ports(ir::Graph& graph);
/// Removes the outer ones of these casts: inputs and outputs are f16 then.
void drop_port_casts(ir::Graph& graph);

/// Rows for the table of all passes.
std::vector<PassInfo> pass_rows();

/// A graph with numbers in place of its symbols: those of `sizes`, or the sample's if that is
/// empty.
ir::Graph at_sizes(const ir::Graph& graph, const ir::Sizes& sizes);

}  // namespace t2n::passes
