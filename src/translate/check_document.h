// The last look at a document before anybody writes it.
#pragma once

#include "ir/graph.h"
#include "nnef/ast.h"

namespace t2n::ops {

/// What the specification forbids is never written. Errors: `internal`.
void check_strict(const nnef::Document& document);

/// What tract must refuse, or cannot run at sizes that the document allows, is never written.
/// Errors: `internal`; `dynamic-declaration` where other axes would make it right.
void check_tract(const nnef::Document& document, const ir::Graph& graph);

}  // namespace t2n::ops
