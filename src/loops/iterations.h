// SPDX-License-Identifier: Apache-2.0
// The iterations of a loop: nodes of a graph, by iteration and position.
#pragma once

#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "src/loops/record.h"
#include "src/loops/recurrence.h"
#include "src/loops/scan_values.h"

namespace t2n::loops {

class Iterations {
 public:
  Iterations(ir::Graph& graph, ScanValues& values, LoopRecord loop)
      : graph_(graph), values_(values), loop_(std::move(loop)), bounds_(loop_.bounds) {}

  const LoopRecord& loop() const { return loop_; }
  int64_t count() const { return static_cast<int64_t>(bounds_.size()) - 1; }
  /// The names of the results of each iteration.
  std::vector<std::unordered_set<std::string>> names() const;

  // Before the comparison, in this order.
  /// Removes operations that return their operand, and inner loops whose results are not read.
  void simplify();
  /// Removes concatenations that become a single one after the loop.
  std::vector<Growing> take_growing();
  void index();
  /// Removes the tag of an iteration from all names.
  void untag(const std::string& tag);

  /// The first node of an iteration, in the graph.
  size_t begin(int64_t iteration) const { return bounds_[iteration]; }
  size_t size(int64_t iteration) const { return begin(iteration + 1) - begin(iteration); }
  const ir::Node& node(int64_t iteration, size_t position) const {
    return graph_.nodes[begin(iteration) + position];
  }
  /// A result in all iterations from `start` on.
  IterationValues column(size_t position, size_t output, int64_t start) const;

  /// Where an iteration computes the value; null for an outer value.
  const DefSite* def_site(ir::ValueId id) const;
  const std::unordered_map<ir::ValueId, DefSite>& def_sites() const { return def_sites_; }
  /// For a result of an earlier node with several results: the node and the index; else null.
  const std::pair<size_t, size_t>* part(ir::ValueId id) const;
  /// True if an iteration reads the value.
  bool is_read(ir::ValueId id) const { return read_.contains(id); }

 private:
  const ir::Value& value(ir::ValueId id) const { return graph_.values[id]; }
  bool simplify_node(const ir::Node& node);
  bool is_growing(size_t position, size_t part) const;

  ir::Graph& graph_;
  ScanValues& values_;
  LoopRecord loop_;
  std::vector<size_t> bounds_;
  std::unordered_map<ir::ValueId, DefSite> def_sites_;
  std::unordered_map<ir::ValueId, std::pair<size_t, size_t>> parts_;
  std::unordered_set<ir::ValueId> read_;
};

}  // namespace t2n::loops
