// The operations of the model that a document's statements belong to.
#pragma once

#include "ir/graph.h"
#include "src/nnef/ast.h"

namespace t2n::ops {

class Emitter;

/// Fills in the origins if the graph requests them (nnef::kOriginsOption).
void add_origins(nnef::Document& document, const ir::Graph& graph, Emitter& emitter);

}  // namespace t2n::ops
