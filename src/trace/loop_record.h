// What the recorder keeps of loops that become scans.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ir/graph.h"

namespace t2n::trace {

/// What decides the names of values to come.
struct Naming {
  std::unordered_set<std::string> taken;
  std::unordered_map<std::string, int> next_suffix;
  std::map<std::pair<ir::ScopeId, std::string>, int> calls;
};
/// A loop while its turns are recorded.
struct ActiveLoop {
  ir::Symbol turn;              ///< the symbol of its turn
  std::vector<size_t> bounds;   ///< nodes before the first turn, after the first, …
  std::vector<Naming> namings;  ///< after the first turns
  std::vector<ir::ValueId> first_values = {};  ///< the next new value when each turn began
};
/// What a rolled loop leaves to be known of the turns that its scan stands for.
struct Rolled {
  std::unordered_set<std::string> later = {};  ///< names of what they computed, but for the first
  /// Of these, and of the states, by what stands in their place in the first of them.
  std::map<std::string, std::string> names = {};
};
/// A tensor that stands somewhere when a turn ends.
struct TurnEnd {
  ir::ValueId value = ir::kNoValue;
  const void* tensor = nullptr;  ///< tells apart those that no operation has read
  bool is_own = false;           ///< the turn computed it, or wrote to it
  /// The same tensor, whoever made it.
  friend bool operator==(const TurnEnd& a, const TurnEnd& b) {
    return a.value == b.value && a.tensor == b.tensor;
  }
};
/// What stood at the places of a variable, container or object after each turn.
struct TurnEnds {
  int64_t first_turn = -1;  ///< after which it was looked at first
  std::vector<std::vector<TurnEnd>> tensors = {};
};
/// One value of the body of a scan, in all turns.
struct Family {
  std::shared_ptr<ir::Graph> body;   ///< names the scan
  ir::ValueId value = ir::kNoValue;  ///< in the body
  int64_t turns = 0;
  std::map<std::pair<int64_t, bool>, ir::ValueId> stacked;  ///< outputs by axis and direction
};
struct Instance {
  size_t family = 0;
  int64_t turn = 0;
  bool is_output = false;  ///< of the scan: the last state
};
inline constexpr size_t kNoFamily = SIZE_MAX;  ///< of what went with the write that it was for
/// Part of a list: values as they are, or consecutive turns of a family.
struct Segment {
  std::vector<ir::ValueId> values;
  std::optional<Instance> first;
  int64_t count = 0;
  bool reversed = false;
};

}  // namespace t2n::trace
