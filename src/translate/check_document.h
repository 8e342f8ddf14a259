// The last check of a document before it is written.
#pragma once

#include "ir/graph.h"
#include "nnef/ast.h"

namespace t2n::ops {

/// Refuses what the specification forbids. Errors: `internal`.
void check_strict(const nnef::Document& document);

/// Refuses what tract rejects, or cannot run at sizes that the document allows. Errors: `internal`;
/// `dynamic-declaration` if other axes would make it right.
void check_tract(const nnef::Document& document, const ir::Graph& graph);

}  // namespace t2n::ops
