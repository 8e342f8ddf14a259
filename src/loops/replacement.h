// Puts a scan in place of a loop's iterations.
#pragma once

#include <optional>
#include <unordered_set>
#include <vector>

#include "src/loops/iterations.h"
#include "src/loops/rolling.h"

namespace t2n::loops {

/// What the iterations computed becomes part of the scan's outputs, and is known to `Rolling`.
class Replacement {
 public:
  Replacement(Rolling& rolling, const Iterations& all, Recurrence found,
              std::vector<Growing> growing);
  void run();

 private:
  const LoopRecord& loop() const { return all_.loop(); }
  ir::Dim length() const { return loop().length - ir::Dim(found_.start); }
  const ir::Value& outer(ir::ValueId id) const { return graph_.values[static_cast<size_t>(id)]; }
  /// Behind the last of the slices that begin there.
  ir::Dim end_of(const ir::Dim& begin, int64_t step) const {
    return begin + ir::Dim(step) * (length() - ir::Dim(1)) + ir::Dim(1);
  }
  size_t first_node(int64_t iteration) const { return all_.begin(iteration) - all_.begin(0); }

  void settle_number(ir::Node& node, int64_t iteration) const;
  void forget_names();
  ir::ValueId parted(ir::ValueId whole, const Slices& slices);
  ir::ValueId slice_outside(const Slices& slices);
  ir::ValueId window_outside(const Window& window);
  ir::ValueId positions_outside(const Positions& positions);
  std::optional<ir::Dim> begin_of(ir::ValueId whole, int64_t axis, const ir::Dim& first,
                                  bool reversed, int64_t step);
  ir::Node scan_node(const IterationValues& sliced);
  void add_body_output(ir::ValueId id);
  bool is_filled(size_t state) const;
  ir::ValueId last_of(size_t state) const;
  ir::ValueId state_output(size_t state, const IterationValues& taken);
  void name_instances(const std::vector<ir::Node>& nodes);
  void define_filled(const Filled& each);
  void define_growing(const Growing& each);

  Rolling& rolling_;
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
