// SPDX-License-Identifier: Apache-2.0
// Operations that algorithms insert into a graph. Each states its insertion point and order; one
// commit applies all.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "src/passes/rewriter.h"

namespace t2n::compress {

/// Where to insert: after a value for all its readers, or in front of one operation that reads it.
struct InsertionPoint {
  ir::ValueId value = ir::kNoValue;
  std::optional<size_t> reader;  ///< index of the operation in graph.nodes; nothing: all readers
};

struct Insertion {
  InsertionPoint at;
  int priority = 0;       ///< at one value, lower ones come first
  std::string algorithm;  ///< the algorithm that requests it: "pruning"
  std::string slot;       ///< its kind: two different insertions of one slot conflict
  std::string key;        ///< insertions with equal slots and keys at one value are merged
  /// Emits the replacement of the value, with its shape and dtype.
  std::function<ir::ValueId(passes::Rewriter& rewriter, ir::ValueId value)> build;
};

class Insertions {
 public:
  void add(Insertion insertion) { all_.push_back(std::move(insertion)); }
  bool empty() const { return all_.empty(); }
  /// Applies all of them. True if the graph changed.   Errors: `usage`, with both names, if two
  /// insertions of one slot conflict.
  bool commit(ir::Graph& graph) const;

 private:
  std::vector<Insertion> all_;
};

}  // namespace t2n::compress
