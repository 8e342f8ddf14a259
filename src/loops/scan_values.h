// SPDX-License-Identifier: Apache-2.0
// Values of single loop iterations, after a scan has replaced the iterations.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/graph.h"

namespace t2n::loops {

/// The last occurrence of a body value may be shorter: all of them together have `length` entries.
struct Rest {
  int64_t axis = 0;
  ir::Dim length;
  int64_t sample = 0;  ///< in the sample's run
};

/// A value of a scan's body, which has an occurrence in each iteration.
struct BodyValue {
  std::shared_ptr<ir::Graph> body;   ///< identifies the scan
  ir::ValueId value = ir::kNoValue;  ///< in the body
  int64_t iterations = 0;
  std::optional<Rest> rest = {};
  std::map<std::pair<int64_t, bool>, ir::ValueId> stacked = {};  ///< outputs by axis and direction

  const ir::Value& inner() const { return body->values[value]; }
  /// The body's node that computes it, if there is one.
  const ir::Node* producer() const;
};

inline constexpr size_t kNoBodyValue =
    SIZE_MAX;  ///< of values that were removed with the write they were for
inline constexpr size_t kGrown = SIZE_MAX - 1;  ///< a growing tensor after an iteration
inline constexpr size_t kPart = SIZE_MAX - 2;   ///< of a part whose length changes

/// The value of a body value in one iteration.
struct Occurrence {
  size_t body_value = kNoBodyValue;
  int64_t iteration = 0;
  bool is_output = false;  ///< the last state, an output of the scan

  bool has_body_value() const { return body_value < kPart; }
};

/// Values that no node of the graph computes any more, and their replacements.
class ScanValues {
 public:
  /// The current replacement: the value itself, or an equal one.
  ir::ValueId resolved(ir::ValueId id) const;
  void replace(ir::ValueId id, ir::ValueId by) { same_as_[id] = by; }

  /// For a resolved value; nullptr if a node of the graph computes it.
  const Occurrence* occurrence(ir::ValueId id) const;
  void note(ir::ValueId id, const Occurrence& occurrence) { occurrences_[id] = occurrence; }
  /// To call when a node computes it again.
  void forget(ir::ValueId id) { occurrences_.erase(id); }

  size_t add(BodyValue body_value);
  BodyValue& body_value(size_t index) { return body_values_[index]; }
  const BodyValue& body_value(size_t index) const { return body_values_[index]; }

 private:
  std::vector<BodyValue> body_values_;
  std::unordered_map<ir::ValueId, Occurrence> occurrences_;
  std::unordered_map<ir::ValueId, ir::ValueId> same_as_;
};

}  // namespace t2n::loops
