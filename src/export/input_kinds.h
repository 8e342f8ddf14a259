// Queries about samples, for input sets.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "src/export/variations.h"

namespace t2n {

/// A set that changes all inputs in one way.
struct InputKind {
  std::string name;  ///< "signs flipped"
  Variation variation;
  bool is_optional =
      false;  ///< not tried with other integers, and not counted, if torch refuses it
};

/// The kinds that tell something for these samples. `has_wide_integers`: as in Takes.
std::vector<InputKind> input_kinds(const std::vector<Sample>& samples, const ir::Graph& graph,
                                   bool has_wide_integers);
/// The indices of samples that are tensors with elements.
std::vector<size_t> tensor_places(const std::vector<Sample>& samples);
/// Inputs of the graph that no output depends on, by the recorded graph.
std::set<std::string> unread_inputs(const ir::Graph& graph);

}  // namespace t2n
