// SPDX-License-Identifier: Apache-2.0
// What tract may find out about a tensor.
#pragma once

#include <optional>

#include "src/draft/tensor_entry.h"

namespace t2n::tract_forms {

using draft::Ref;
using ir::Ints;

/// The product of the constants that have scaled a tensor so far.
struct Scaling {
  double least = 0,
         most = 0;       ///< exponents of 2: of the smallest factor that is not 0, and the largest
  bool is_exact = true;  ///< powers of two only
};

struct Facts {
  /// What is known of the elements: one number for all, or positions along axes.
  enum class Elements { unknown, positions, number };

  bool from_sizes = false;  ///< computed only from symbolic sizes
  Elements elements = Elements::unknown;
  Ints broadcast_axes = {};         ///< along which entries repeat
  std::optional<Scaling> scaling;   ///< by constants
  std::optional<Ref> size_barrier;  ///< the same number, which tract does not trace to sizes
  std::optional<Ref> reshaped;      ///< in a body: the operand of its squeeze or unsqueeze
  Ints reshaped_axes = {};          ///< and the axes of that
};

}  // namespace t2n::tract_forms
