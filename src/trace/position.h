// Where the program stands while it runs.
#pragma once

#include <torch/csrc/jit/ir/ir.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ir/building.h"
#include "src/trace/source_map.h"

namespace t2n::trace {

/// Written by the interpreter; all others ask it for the place of an operation or an error.
class Position {
 public:
  Position(ir::Graph& graph, SourceMap& sources) : graph_(graph), sources_(sources) {}

  const torch::jit::Node* node = nullptr;        ///< the one that runs
  std::vector<const torch::jit::Node*> callers;  ///< of the function that runs, outermost first
  std::string function;                          ///< the one that runs, by its qualified name
  ir::ScopeId scope = 0;
  int depth = 0;  ///< of calls

  /// The user's own line: of the node, or of the nearest call that led to it through torch's
  /// modules.
  ir::Place place();
  Where where();
  /// "model.py:12"; "" where that is not known.
  std::string line();
  /// `name`, and the line.
  std::string origin(const std::string& name);
  /// Of an assignment to an attribute, which torch keeps no place of: it is looked for near the
  /// value's.
  ir::Place assignment(const torch::jit::Node* node);

 private:
  ir::SourceId source_of(const torch::jit::Node* of, bool torch_too);

  ir::Graph& graph_;
  SourceMap& sources_;
  std::map<std::pair<const torch::jit::Node*, bool>, ir::SourceId> source_ids_;
};

}  // namespace t2n::trace
