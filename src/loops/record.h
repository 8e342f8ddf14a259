// What is kept of a loop while its iterations are recorded, and what is left of it afterwards.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_set>
#include <vector>

#include "ir/building.h"

namespace t2n::loops {

/// A loop whose iterations are the nodes of a graph, one after the other.
struct LoopRecord {
  ir::Symbol number;                           ///< of its iteration, in arguments
  std::vector<size_t> bounds;                  ///< nodes before the first iteration, after it, …
  std::vector<ir::Naming> namings = {};        ///< after the first two iterations
  std::vector<ir::ValueId> first_values = {};  ///< the next new value when each iteration began
  ir::Dim length = {};                         ///< how many iterations, over sizes
  ir::Place place = {};
};

/// What a rolled loop leaves to be known of the iterations that its scan stands for.
struct Rolled {
  std::unordered_set<std::string> later = {};  ///< names of what they computed, but for the first
  /// Of these, and of the states, by what stands in their place in the first of them.
  std::map<std::string, std::string> names = {};
};

/// What made a value.
struct Origin {
  bool is_loop = false;
  int64_t maker = 0;  ///< the family, or the first result of the operation
  int64_t place = 0;  ///< the iteration, or which of the results
};

}  // namespace t2n::loops
