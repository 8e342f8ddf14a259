// State for a graph under construction: places, names of values, numbers of operations, sizes as
// symbols.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "ir/graph.h"

namespace t2n::ir {

/// Where in the program something happens.
struct Location {
  ScopeId scope = 0;
  SourceId source = kNoSource;
};

/// Gives each value a unique name, and each operation its number. A copy continues with the same
/// names and numbers.
class Naming {
 public:
  /// `base`, with "_1", "_2"… appended if needed.
  std::string unique(const std::string& base);
  /// `stem` with the smallest free number.
  std::string numbered(const std::string& stem);
  /// For a value: unique without the suffix, and with the suffix behind it.
  std::string value(std::string base);
  /// For a result of the node: its module's path and its short name.
  std::string result(const Graph& graph, const Node& node);
  /// Marks the names and numbers of the graph as taken.
  void take(const Graph& graph);
  /// Reserves the name: no value will have it.
  void take(const std::string& name) { taken_.insert(name); }
  /// The names of values end in it from now on.
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

/// The size of a value as a symbol of its own; the graph gets its sample.
Dim size_symbol(Graph& graph, ValueId value, int64_t axis);

}  // namespace t2n::ir
