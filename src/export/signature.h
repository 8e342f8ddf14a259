// Which inputs of an artefact its statements really read.
#pragma once

#include <string>
#include <vector>

#include "ir/graph.h"
#include "nnef/ast.h"
#include "src/export/pipeline.h"

namespace t2n {

/// Places of the inputs that no statement reads, nor sizes of which any statement names.
std::vector<size_t> unused_inputs(const ir::Graph& graph, const nnef::Document& document);

/// Inputs without influence stay, with a warning, or go if that was asked for.
void settle_unused(const ExportOptions& options, ir::Graph& graph, nnef::Document& document,
                   ExportResult& result);

}  // namespace t2n
