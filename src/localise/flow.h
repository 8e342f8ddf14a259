// SPDX-License-Identifier: Apache-2.0
// The data flow of a document or of a recorded graph: tensors, and which of them each is made of.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "src/localise/digest.h"
#include "src/nnef/ast.h"

namespace t2n::localise {

struct FlowTensor {
  std::string name;
  std::string operation;         ///< "conv"; the operator of a recorded graph
  std::vector<size_t> operands;  ///< precede it
  size_t statement = 0;          ///< its index in the document, or that of its node
  int depth = 0;                 ///< operations on the longest path from an input
  bool is_input = false;
  bool is_weight = false;  ///< stored in the file
  std::optional<Digest> digest = {};
};

struct Flow {
  std::vector<FlowTensor> tensors;  ///< in order of computation
  std::vector<size_t> inputs;
  std::vector<size_t> results;

  /// The tensors that an operation computes.
  std::vector<size_t> computed() const;
};

Flow flow_of(const nnef::Document& document);

/// Without constants. `ids`: for each tensor its value in the graph.
struct GraphFlow : Flow {
  std::vector<ir::ValueId> ids;
};
GraphFlow flow_of(const ir::Graph& graph);

}  // namespace t2n::localise
