// SPDX-License-Identifier: Apache-2.0
// Expresses every size of a traced graph in terms of the declared dynamic axes.
#pragma once

#include <string>
#include <vector>

#include "ir/graph.h"
#include "ir/op_table.h"
#include "src/dynamic/axes.h"
#include "src/shapes/constraint_set.h"

namespace t2n::dynamic {

/// A trace of the program at certain sizes (keep_sizes on). All probes have the same nodes in the
/// same order; only sizes differ.
struct Probe {
  Sizes symbols;
  ir::Graph graph;
};

struct InferOptions {
  std::vector<ir::Shape> inputs;  ///< of the graph inputs in order, with symbols
  std::vector<Comparison> known;  ///< assertions about the symbols
  shapes::Orders orders = {};
  /// Goes on after refusals and adds them here; the shapes are then unusable.
  std::vector<Diagnostic>* refusals = nullptr;
};

/// A comparison that holds in every probe and that sizes depend on: the exported model must assert
/// it.
struct Assumption {
  Comparison relation;
  std::string op;  ///< the operator whose sizes need it
  Where where;
};

/// Rewrites `probes[0].graph`: shapes and integer arguments become expressions over the symbols,
/// and kSampleSizes holds the probe's symbols. Returns the conditions for them. Errors:
/// `dynamic-size` with the source location, if no shape rule gives a size, or no expression gives a
/// number.
std::vector<Assumption> infer_shapes(std::vector<Probe>& probes, const InferOptions& options,
                                     const ir::OpTable& operators);

}  // namespace t2n::dynamic
