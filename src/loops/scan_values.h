// What single iterations of loops computed, once scans compute it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/graph.h"

namespace t2n::loops {

/// One value of the body of a scan, in all iterations.
struct Family {
  std::shared_ptr<ir::Graph> body;   ///< names the scan
  ir::ValueId value = ir::kNoValue;  ///< in the body
  int64_t iterations = 0;
  std::map<std::pair<int64_t, bool>, ir::ValueId> stacked = {};  ///< outputs by axis and direction

  const ir::Value& inner() const { return body->values[static_cast<size_t>(value)]; }
  /// The body's node that computes it, if one does.
  const ir::Node* maker() const;
};

inline constexpr size_t kNoFamily = SIZE_MAX;   ///< of what went with the write that it was for
inline constexpr size_t kGrown = SIZE_MAX - 1;  ///< what a tensor that grows was after an iteration

/// A value of the graph that one iteration computed.
struct Instance {
  size_t family = kNoFamily;
  int64_t iteration = 0;
  bool is_output = false;  ///< of the scan: the last state

  bool has_family() const { return family < kGrown; }
};

/// Values that no node of the graph computes any more, and what became of them.
class ScanValues {
 public:
  /// The value that one stands for by now: itself, or an equal one.
  ir::ValueId resolved(ir::ValueId id) const;
  void stand_for(ir::ValueId id, ir::ValueId by) { same_as_[id] = by; }

  /// Of a resolved value; nullptr for what nodes of the graph compute.
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
