// SPDX-License-Identifier: Apache-2.0
// State for a graph under construction: locations, names of values, numbers of operations, symbols
// of sizes.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "ir/graph.h"

namespace t2n::ir {

/// The scope and source of an operation.
struct Location {
  ScopeId scope = 0;
  SourceId source = kNoSource;
};

/// Assigns each value a unique name, and each operation its number. A copy continues with the same
/// names and numbers.
class Naming {
 public:
  /// `base`, with "_1", "_2"… appended if needed.
  std::string unique(const std::string& base);
  /// `stem` with the smallest free number.
  std::string numbered(const std::string& stem);
  /// A name for a value: unique before the suffix, which is appended.
  std::string value(std::string base);
  /// A name for a result of the node: its module path and short name.
  std::string result(const Graph& graph, const Node& node);
  /// Marks the names and numbers of the graph as taken.
  void take(const Graph& graph);
  /// Reserves the name: no value will have it.
  void take(const std::string& name) { taken_.insert(name); }
  /// Appends the suffix to all further names of values.
  void set_suffix(std::string suffix) { suffix_ = std::move(suffix); }
  const std::string& suffix() const { return suffix_; }
  /// How many operations of this name precede it in this scope.
  int call(ScopeId scope, const std::string& name) { return calls_[{scope, name}]++; }

 private:
  std::string suffix_;
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, int> next_suffix_;
  std::map<std::pair<ScopeId, std::string>, int> calls_;
};

/// A new symbol for the size of a value; records its sample size in the graph.
Dim size_symbol(Graph& graph, ValueId value, int64_t axis);

}  // namespace t2n::ir
