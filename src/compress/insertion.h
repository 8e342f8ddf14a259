// Operations that algorithms insert into a graph: each says where and in which order, one commit
// applies all.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "src/passes/rewriter.h"

namespace t2n::compress {

/// Where something is inserted: behind a value for all its readers, a parameter or a result, or in
/// front of one operation.
struct Address {
  ir::ValueId value = ir::kNoValue;
  std::optional<size_t> reader;  ///< index of the operation in graph.nodes; nothing: all readers
};

struct Insertion {
  Address at;
  int priority = 0;       ///< at one value, lower ones come first
  std::string algorithm;  ///< "pruning": who asks for it
  std::string slot;       ///< what it is: two different ones of a slot contradict each other
  std::string key;        ///< at one value, equal keys of a slot are one insertion
  /// Emits what stands in for the value, of its shape and dtype.
  std::function<ir::ValueId(passes::Rewriter& rewriter, ir::ValueId value)> build;
};

class Insertions {
 public:
  void add(Insertion insertion) { all_.push_back(std::move(insertion)); }
  bool empty() const { return all_.empty(); }
  /// Applies all of them. True if the graph changed.   Errors: `usage` where two of one slot are
  /// asked for in front of the same operand, naming both.
  bool commit(ir::Graph& graph) const;

 private:
  std::vector<Insertion> all_;
};

}  // namespace t2n::compress
