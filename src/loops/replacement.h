// SPDX-License-Identifier: Apache-2.0
// Replaces a loop's iterations by a scan.
#pragma once

#include <optional>
#include <unordered_set>
#include <vector>

#include "src/loops/iterations.h"
#include "src/loops/rerolling.h"

namespace t2n::loops {

/// Results of the iterations become outputs of the scan, and `Rerolling` maps them to these.
class Replacement {
 public:
  Replacement(Rerolling& rerolling, const Iterations& all, Recurrence found,
              std::vector<Growing> growing);
  void run();

 private:
  const LoopRecord& loop() const { return all_.loop(); }
  ir::Dim length() const { return loop().length - ir::Dim(found_.start); }
  const ir::Value& outer(ir::ValueId id) const { return graph_.values[id]; }
  /// The end of the last slice, if the first one starts at `begin`.
  ir::Dim end_of(const ir::Dim& begin, int64_t step) const {
    return begin + ir::Dim(step) * (length() - ir::Dim(1)) + ir::Dim(1);
  }
  size_t first_node(int64_t iteration) const { return all_.begin(iteration) - all_.begin(0); }

  void substitute_number(ir::Node& node, int64_t iteration) const;
  void forget_names();
  ir::ValueId with_part_axis(ir::ValueId source, const Slices& slices);
  ir::ValueId slice_outside(const Slices& slices);
  ir::ValueId window_outside(const Window& window);
  ir::ValueId positions_outside(const Positions& positions);
  std::optional<ir::Dim> first_index(ir::ValueId source, int64_t axis, const ir::Dim& first,
                                     bool reversed, int64_t step);
  ir::Node scan_node(const IterationValues& sliced);
  void add_body_output(ir::ValueId id);
  bool is_filled(size_t state) const;
  ir::ValueId last_of(size_t state) const;
  ir::ValueId state_output(size_t state, const IterationValues& taken);
  void name_occurrences(const std::vector<ir::Node>& nodes);
  void define_filled(const Filled& each);
  void define_growing(const Growing& each);

  Rerolling& rerolling_;
  ir::Graph& graph_;
  ScanValues& values_;
  ir::Naming& naming_;
  const Iterations& all_;
  Recurrence found_;
  std::vector<Growing> growing_;
  std::vector<std::vector<IterationValues>> node_outputs_;  ///< by iteration and position
  std::unordered_set<ir::ValueId> defined_;
};

}  // namespace t2n::loops
