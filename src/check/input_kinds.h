// SPDX-License-Identifier: Apache-2.0
// Chooses the kinds of input sets that suit the samples.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "src/samples/variations.h"

namespace t2n {

/// A set that changes all inputs by one variation.
struct InputKind {
  std::string name;  ///< "signs flipped"
  Variation variation;
  bool is_optional =
      false;  ///< if torch rejects it: not retried with unchanged integers, not counted
};

/// The kinds that are useful for these samples. `has_wide_integers`: as in ArtefactInputs.
std::vector<InputKind> input_kinds(const std::vector<Sample>& samples, const ir::Graph& graph,
                                   bool has_wide_integers);
/// The indices of samples that are tensors with elements.
std::vector<size_t> tensor_indices(const std::vector<Sample>& samples);
/// Inputs that no output depends on in the recorded graph.
std::set<std::string> unread_inputs(const ir::Graph& graph);

}  // namespace t2n
