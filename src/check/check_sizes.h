// SPDX-License-Identifier: Apache-2.0
// Chooses sizes of dynamic axes at which a wrong file may differ from its model.
#pragma once

#include <functional>
#include <set>
#include <vector>

#include "ir/graph.h"
#include "src/dynamic/choose.h"

namespace t2n {

/// Runs a set at these sizes; false if torch or the artefact does not accept them.
using RunsAt = std::function<bool(const dynamic::Sizes&)>;

/// Determines additional sizes.
struct SizeHints {
  std::set<int64_t> lengths;  ///< constant lengths of tables, slices and pads
  std::function<bool(const dynamic::Sizes&)> is_allowed;  ///< by the artefact
  std::function<double(const dynamic::Sizes&)> cost;
  double budget = 0;  ///< for one set
};

/// The constant lengths of a graph: axes of constant tensors, and integer arguments.
std::set<int64_t> constant_lengths(const ir::Graph& graph);
/// The number of elements of all values at these sizes.
double elements_at(const ir::Graph& graph, const dynamic::Sizes& sizes);

/// Runs the sizes that the chooser requires, and two others that the model accepts, with 1 where
/// allowed. Returns those that ran.
std::vector<dynamic::Sizes> sizes_to_check(dynamic::Chooser chooser, const RunsAt& runs);

/// Runs special sizes: each axis alone at its minimum; each alone beyond all constant lengths or at
/// its bound; and sizes with another order of the axes. `run`: sizes that ran before, the sample's
/// first.
void add_special_sizes(std::vector<dynamic::Sizes> run, const SizeHints& hints, const RunsAt& runs);

}  // namespace t2n
