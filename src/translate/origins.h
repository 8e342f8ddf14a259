// SPDX-License-Identifier: Apache-2.0
// The operations of the model that a document's statements belong to.
#pragma once

#include <vector>

#include "ir/graph.h"
#include "src/nnef/ast.h"

namespace t2n::ops {

class Emitter;

/// The node of each statement of the graph; nullptr for inputs.
std::vector<const ir::Node*> statement_nodes(const nnef::Document& document, Emitter& emitter);

/// Fills in the origins if the graph requests them (nnef::kOriginsOption).
void add_origins(nnef::Document& document, const ir::Graph& graph, Emitter& emitter);

}  // namespace t2n::ops
