// Operations that algorithms insert into a graph. Each one states its place and order; one commit
// applies all.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "src/passes/rewriter.h"

namespace t2n::compress {

/// A place for an insertion: behind a value for all its readers, a parameter or a result, or in
/// front of one operation.
struct Address {
  ir::ValueId value = ir::kNoValue;
  std::optional<size_t> reader;  ///< index of the operation in graph.nodes; nothing: all readers
};

struct Insertion {
  Address at;
  int priority = 0;       ///< at one value, lower ones come first
  std::string algorithm;  ///< who asks for it: "pruning"
  std::string slot;       ///< its kind: two different ones of one slot contradict each other
  std::string key;        ///< equal keys of a slot at one value are one insertion
  /// Emits the replacement of the value, with its shape and dtype.
  std::function<ir::ValueId(passes::Rewriter& rewriter, ir::ValueId value)> build;
};

class Insertions {
 public:
  void add(Insertion insertion) { all_.push_back(std::move(insertion)); }
  bool empty() const { return all_.empty(); }
  /// Applies all of them. True if the graph changed.   Errors: `usage`, with both names, if two of
  /// one slot are asked for in front of the same operand.
  bool commit(ir::Graph& graph) const;

 private:
  std::vector<Insertion> all_;
};

}  // namespace t2n::compress
