// SPDX-License-Identifier: Apache-2.0
// The origin of an operation: the modules around it, and the lines of the user's source.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/diag/diagnostic.h"

namespace t2n::ir {

struct Graph;
struct Node;

/// One level of a module path in the NNCF form `Class[attribute]`; `parent` is -1 at the root.
struct Scope {
  int parent = -1;
  std::string module_class;
  std::string attribute;
};
using ScopeId = int32_t;

/// The location of an operation in the user's source.
struct Source {
  std::vector<Frame> frames;  ///< innermost first, only the user's own
  std::string excerpt;
  int caret = 0;
  int caret_width = 0;
  friend bool operator==(const Source&, const Source&);
};
using SourceId = int32_t;
inline constexpr SourceId kNoSource = -1;

/// Interns: equal scopes and sources get equal ids.
ScopeId add_scope(Graph& graph, ScopeId parent, std::string module_class, std::string attribute);
SourceId add_source(Graph& graph, Source source);

/// "layer1.0.conv1"
std::string module_path(const Graph& graph, ScopeId scope);
/// "ResNet/Sequential[layer1]/BasicBlock[0]/Conv2d[conv1]"
std::string scope_address(const Graph& graph, ScopeId scope);
/// The same with "/conv2d_0".
std::string node_address(const Graph& graph, const Node& node);
/// Module path, class and source of a node, for diagnostics.
Where node_where(const Graph& graph, const Node& node);

}  // namespace t2n::ir
