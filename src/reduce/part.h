// SPDX-License-Identifier: Apache-2.0
// Parts of a graph: some of its operations, with values of a run for what they read from others.
#pragma once

#include <optional>
#include <vector>

#include "ir/evaluator.h"
#include "ir/graph.h"

namespace t2n::reduce {

/// A part of a graph as a graph of its own, with values for its inputs.
struct Part {
  ir::Graph graph;
  std::vector<ir::Tensor> inputs;       ///< without bytes if the entire graph cannot run
  std::vector<ir::ValueId> input_ids;   ///< in the entire graph
  std::vector<ir::ValueId> output_ids;  ///< the same
  bool has_other_sizes = false;         ///< inputs are smaller than in the entire graph
};

/// Operations of the graph, by index, in order.
using Nodes = std::vector<size_t>;

/// A graph, the values that it computes in one run, and its parts.
class Subject {
 public:
  /// `sizes`: of its symbols; empty: the samples'. Without an evaluator no values are known.
  Subject(ir::Graph graph, std::vector<ir::Tensor> inputs, ir::Sizes sizes,
          const ir::Evaluator& evaluate);

  const ir::Graph& graph() const { return graph_; }
  const ir::Sizes& sizes() const { return sizes_; }
  Nodes all() const;
  /// The operations, with the tensors that they read from others as inputs. Outputs are those of
  /// the graph, and results that only other operations read. Nothing if there is no output.
  std::optional<Part> part(const Nodes& nodes) const;

 private:
  std::vector<ir::Tensor> values_of(const std::vector<ir::ValueId>& ids) const;

  ir::Graph graph_;
  std::vector<ir::Tensor> inputs_;
  ir::Sizes sizes_;
  ir::Evaluator evaluate_;
  std::vector<ir::Tensor> values_;  ///< by value; empty: computed on demand
  bool can_run_ = true;
};

/// The number of operations, with those of loops' bodies.
size_t operations(const ir::Graph& graph);
/// The number of elements of its inputs and constants, at the sample sizes.
int64_t elements(const Part& part);

}  // namespace t2n::reduce
