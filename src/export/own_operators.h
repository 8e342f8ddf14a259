// SPDX-License-Identifier: Apache-2.0
// The user's operators in the process that runs the model.
#pragma once

#include "ir/graph.h"
#include "src/diag/sink.h"

namespace t2n {

/// Registers them with LibTorch, before a model is loaded. Errors: `plugin-failed`,
/// `fragment-signature`, `fragment-invalid`.
void define_own_operators();

/// Warns of operators of the graph that nothing but their fragments computes.
void report_unproven(const ir::Graph& graph, const Report& report);

}  // namespace t2n
