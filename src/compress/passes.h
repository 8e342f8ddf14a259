// SPDX-License-Identifier: Apache-2.0
// The passes of src/compress.
#pragma once

#include <vector>

#include "src/passes/pass.h"

namespace t2n::compress {

/// Moves constants of loop bodies to the outer graph.
bool lift_weights(ir::Graph& graph, const passes::PassContext& context);
/// Sets small weights to zero (src/compress/round/prune.h).
bool prune_weights(ir::Graph& graph, const passes::PassContext& context);
/// Inserts observers where settings request quantisers.
bool insert_observers(ir::Graph& graph, const passes::PassContext& context);
/// Inserts pruning masks and observers together, so that contradictions are found.
bool insert_compression(ir::Graph& graph, const passes::PassContext& context);
/// Computes the observers' scales and zero points from recorded ranges or a calibration.
bool calculate_qparams(ir::Graph& graph, const passes::PassContext& context);
/// Rounds weights with their observers' scales so that results over a calibration set change least.
bool compensate_rounding(ir::Graph& graph, const passes::PassContext& context);
/// Packs weights into 4-bit blocks where settings request it; without settings, all of them.
bool quantise_q4_0(ir::Graph& graph, const passes::PassContext& context);
/// Replaces observers by fake quantisation.
bool insert_fake_quant(ir::Graph& graph, const passes::PassContext& context);
/// Subtracts the mean error of quantised weights from biases.
bool correct_bias(ir::Graph& graph, const passes::PassContext& context);
/// Replaces fake-quantised constants by integers.
bool quantise_constants(ir::Graph& graph, const passes::PassContext& context);
/// Replaces fake-quantised activations by integers (src/compress/round/expand_fake_quant.cpp).
bool expand_fake_quant(ir::Graph& graph, const passes::PassContext& context);
/// Applies data movement to integers instead of floats.
bool propagate_qparams(ir::Graph& graph, const passes::PassContext& context);
/// Replaces layers between quantised tensors by torch's quantised layers
/// (src/compress/round/fuse.h).
bool fuse_quantised(ir::Graph& graph, const passes::PassContext& context);
/// Changes nothing, and reports unusual quantisation (src/compress/explain/lint.h).
bool lint_quantisation(ir::Graph& graph, const passes::PassContext& context);

/// Rows for the table of all passes.
std::vector<passes::PassInfo> pass_rows();

}  // namespace t2n::compress
