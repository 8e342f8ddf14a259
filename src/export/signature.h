// SPDX-License-Identifier: Apache-2.0
// Finds the inputs of an artefact that its statements do not read.
#pragma once

#include <string>
#include <vector>

#include "ir/graph.h"
#include "src/export/pipeline.h"
#include "src/nnef/ast.h"

namespace t2n {

/// Indices of inputs that no statement reads, and whose sizes no statement refers to.
std::vector<size_t> unused_inputs(const ir::Graph& graph, const nnef::Document& document);

/// Removes unused inputs if requested, else warns of them. Returns the indices of those that stay.
std::vector<size_t> resolve_unused_inputs(const ExportOptions& options, ir::Graph& graph,
                                          nnef::Document& document, ExportResult& result);

}  // namespace t2n
