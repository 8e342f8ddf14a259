// What is stored about a loop while its iterations are recorded, and what remains afterwards.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_set>
#include <vector>

#include "ir/building.h"

namespace t2n::loops {

/// A loop whose iterations are nodes of a graph, one iteration after another.
struct LoopRecord {
  ir::Symbol number;                           ///< symbol of the iteration's number, in arguments
  std::vector<size_t> bounds;                  ///< nodes before the first iteration, after it, …
  std::vector<ir::Naming> namings = {};        ///< after the first two iterations
  std::vector<ir::ValueId> first_values = {};  ///< the next value's id when each iteration began
  std::string suffix = {};                     ///< of names of values before the loop
  std::vector<std::string> tags = {};          ///< of the names of each iteration but the first
  ir::Dim length = {};                         ///< the number of iterations, over sizes
  ir::Location place = {};
};

/// A name without the tag of an iteration; the same if the tag is "".
std::string without_tag(std::string name, const std::string& tag);

/// What remains known about the iterations of a rolled loop.
struct Rolled {
  std::unordered_set<std::string> later = {};  ///< names of values of later iterations
  /// For these and for the states: the name of the value in the scan's first iteration.
  std::map<std::string, std::string> names = {};
  std::string tag = {};  ///< that values of the scan's first iteration had in their names
  std::vector<ir::Comparison> conditions = {};  ///< of sizes, for which the scan is right
  bool has_first = false;                       ///< the first iteration stays in front of the scan
};

/// What made a value.
struct Origin {
  bool is_loop = false;
  int64_t maker = 0;  ///< the family, or the first result of the operation
  int64_t place = 0;  ///< the iteration, or the index of the result
};

}  // namespace t2n::loops
