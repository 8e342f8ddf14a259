// Which inputs of an artefact its statements really read.
#pragma once

#include <string>
#include <vector>

#include "ir/graph.h"
#include "nnef_writer/ast.h"

namespace t2n {

/// Places of the inputs that no statement reads, nor sizes of which any statement names.
std::vector<size_t> unused_inputs(const ir::Graph& graph, const nnef::Document& document);

/// Takes inputs out of the graph and of the document that says it.
void drop_inputs(ir::Graph& graph, nnef::Document& document, const std::vector<size_t>& places);

}  // namespace t2n
