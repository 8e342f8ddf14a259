// SPDX-License-Identifier: Apache-2.0
// The last check of a document before it is written.
#pragma once

#include "ir/graph.h"
#include "src/nnef/ast.h"

namespace t2n::ops {

/// Refuses violations of the specification. Errors: `internal`.
void check_strict(const nnef::Document& document);

/// Refuses what tract rejects, or cannot run at sizes that the document allows. Errors: `internal`;
/// `dynamic-declaration` if declaring other dynamic axes would fix it.
void check_tract(const nnef::Document& document, const ir::Graph& graph);

}  // namespace t2n::ops
