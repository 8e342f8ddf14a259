// Values that single iterations of loops computed, once scans compute them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/graph.h"

namespace t2n::loops {

/// One value of a scan's body, in all iterations.
struct Family {
  std::shared_ptr<ir::Graph> body;   ///< identifies the scan
  ir::ValueId value = ir::kNoValue;  ///< in the body
  int64_t iterations = 0;
  std::map<std::pair<int64_t, bool>, ir::ValueId> stacked = {};  ///< outputs by axis and direction

  const ir::Value& inner() const { return body->values[static_cast<size_t>(value)]; }
  /// The body's node that computes it, if there is one.
  const ir::Node* maker() const;
};

inline constexpr size_t kNoFamily =
    SIZE_MAX;  ///< of values dropped with the write that they were for
inline constexpr size_t kGrown = SIZE_MAX - 1;  ///< a growing tensor after an iteration

/// A value of the graph that one iteration computed.
struct Instance {
  size_t family = kNoFamily;
  int64_t iteration = 0;
  bool is_output = false;  ///< the last state, an output of the scan

  bool has_family() const { return family < kGrown; }
};

/// Values that no node of the graph computes any more, and their replacements.
class ScanValues {
 public:
  /// The value that stands for it now: itself, or an equal one.
  ir::ValueId resolved(ir::ValueId id) const;
  void stand_for(ir::ValueId id, ir::ValueId by) { same_as_[id] = by; }

  /// For a resolved value; nullptr if a node of the graph computes it.
  const Instance* instance(ir::ValueId id) const;
  void note(ir::ValueId id, const Instance& instance) { instances_[id] = instance; }
  /// A node computes it again.
  void forget(ir::ValueId id) { instances_.erase(id); }

  size_t add(Family family);
  Family& family(size_t index) { return families_[index]; }
  const Family& family(size_t index) const { return families_[index]; }
  size_t families() const { return families_.size(); }

 private:
  std::vector<Family> families_;
  std::unordered_map<ir::ValueId, Instance> instances_;
  std::unordered_map<ir::ValueId, ir::ValueId> same_as_;
};

}  // namespace t2n::loops
