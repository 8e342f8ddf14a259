// SPDX-License-Identifier: Apache-2.0
// A graph with its counterparts in all probes: the model's own graph, or the body of a scan.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "src/dynamic/axes.h"

namespace t2n::dynamic {

using Names = std::unordered_map<std::string_view, ir::ValueId>;
Names names_of(const ir::Graph& graph);

/// The size that the symbol stands for, if it belongs to an axis of a value in the graph.
std::optional<ir::Dim> traced_size(const Symbol& symbol, const ir::Graph& graph,
                                   const Names& names);

/// The sizes of all values of a graph that infer_shapes rewrote, and of its bodies.
class InferredSizes {
 public:
  /// The graph must outlive it.
  explicit InferredSizes(const ir::Graph& graph);
  /// Rewrites an expression over the tracer's symbols (Decision::comparison…) over the declared
  /// axes. A symbol that is not the size of a value stays.
  ir::Dim over_axes(ir::Dim dim) const;

 private:
  void add(const ir::Graph& graph);

  std::vector<std::pair<const ir::Graph*, Names>> graphs_;
};

class Level {
 public:
  /// `result`: the copy of `probes[0]` that is being rewritten.
  Level(ir::Graph& result, std::vector<const ir::Graph*> probes, const Level* outer = nullptr);

  ir::Graph& result() const { return *result_; }
  size_t probes() const { return probes_.size(); }
  const ir::Graph& probe(size_t index) const { return *probes_[index]; }
  /// The number of scans around it.
  int64_t depth() const { return outer_ == nullptr ? 0 : outer_->depth() + 1; }
  /// The shape of a value in a probe.
  const ir::Shape& shape(size_t probe, ir::ValueId value) const;

  /// The expression over the declared axes; every symbol must be the size of an earlier value.
  ir::Dim resolved(const ir::Dim& dim) const;
  /// The value of a traced expression in a probe; none if a symbol is unknown there.
  std::optional<int64_t> number(size_t probe, const ir::Dim& dim) const;

 private:
  std::optional<ir::Dim> find(const Symbol& symbol) const;
  std::optional<ir::Dim> find(size_t probe, const Symbol& symbol) const;

  ir::Graph* result_;
  std::vector<const ir::Graph*> probes_;
  const Level* outer_;
  std::vector<Names> names_;  ///< per probe
};

}  // namespace t2n::dynamic
