// SPDX-License-Identifier: Apache-2.0
// What is known about a loop while its iterations are recorded, and after rerolling.
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
  ir::Symbol number;                     ///< symbol of the iteration number, in arguments
  std::vector<size_t> bounds;            ///< node counts before the first iteration, after it, …
  std::vector<ir::Naming> namings = {};  ///< after the first two iterations
  std::vector<ir::ValueId> first_values = {};  ///< the next value id at the start of each iteration
  std::string suffix = {};                     ///< of names of values before the loop
  std::vector<std::string> tags = {};          ///< of the names of each iteration but the first
  ir::Dim length = {};                         ///< the number of iterations, over sizes
  ir::Location location = {};
  bool pads_rest = false;  ///< the last piece of a split() may be shorter at other sizes
};

/// A name without the tag of an iteration; the same if the tag is "".
std::string without_tag(std::string name, const std::string& tag);

/// What remains known about the iterations of a rerolled loop.
struct Rerolled {
  std::unordered_set<std::string> later = {};  ///< names of values of later iterations
  /// For these and for the states: the name of the value in the scan's first iteration.
  std::map<std::string, std::string> names = {};
  std::string tag = {};  ///< in the names of values of the scan's first iteration
  std::vector<ir::Comparison> conditions = {};  ///< on sizes, under which the scan is correct
  bool has_first = false;                       ///< the first iteration stays before the scan
  bool has_rest = false;  ///< the last piece of a split() is shorter, and LoopRecord lacks it
  /// Names of values of which the program has a part only: their sizes are not those of the scan.
  std::unordered_set<std::string> parts = {};
};

/// What produced a value.
struct Origin {
  bool is_loop = false;
  int64_t producer = 0;  ///< the body value, or the first result of the operation
  int64_t index = 0;     ///< the iteration, or the index of the result
};

}  // namespace t2n::loops
