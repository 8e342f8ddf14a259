// SPDX-License-Identifier: Apache-2.0
// The current position of the running program.
#pragma once

#include <torch/csrc/jit/ir/ir.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ir/building.h"
#include "src/frontend/load/source_map.h"

namespace t2n::trace {

/// The calls that led to the running operation.
struct CallStack {
  std::vector<const torch::jit::Node*> callers;  ///< outermost first
  std::string function;                          ///< the running function's qualified name
  ir::ScopeId scope = 0;
  int depth = 0;
};

/// Written by the interpreter. Others read it for the location of an operation or an error.
class Position {
 public:
  Position(ir::Graph& graph, SourceMap& sources) : graph_(graph), sources_(sources) {}

  const torch::jit::Node* node = nullptr;  ///< the node that is running
  CallStack calls;

  /// The user's own line: that of the node, or of the nearest call that led to it through torch's
  /// modules.
  ir::Location location();
  Where where();
  /// "model.py:12"; "" if unknown.
  std::string line();
  /// `name` with the line.
  std::string origin(const std::string& name);
  /// The location of an assignment to an attribute. Torch does not store it, so it is searched for
  /// near the value's location.
  ir::Location assignment(const torch::jit::Node* node);

 private:
  ir::SourceId source_of(const torch::jit::Node* node, bool torch_too);

  ir::Graph& graph_;
  SourceMap& sources_;
  std::map<std::pair<const torch::jit::Node*, bool>, ir::SourceId> source_ids_;
};

}  // namespace t2n::trace
