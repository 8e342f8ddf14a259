// Which operations distinguish -0.0 from 0.0.
#pragma once

#include <vector>

#include "ir/graph.h"

namespace t2n::passes {

/// Sums of products do not show the sign of a zero; operations that move, scale or compare elements
/// pass it on or drop it; all others are assumed to show it: 1 / x, copysign, atan2, an output.
class ZeroSigns {
 public:
  explicit ZeroSigns(const ir::Graph& graph);
  /// Whether anything that follows from the value may differ, beyond the sign of zeros.
  bool shows(ir::ValueId id) const;

 private:
  enum class Effect { shows, hands_on, drops };
  static Effect effect(const ir::Node& reader, ir::ValueId id);
  static bool shows_in_body(const ir::Node& loop, ir::ValueId id);

  std::vector<std::vector<const ir::Node*>> readers_;  ///< by value
  std::vector<bool> is_output_;                        ///< the same
};

}  // namespace t2n::passes
