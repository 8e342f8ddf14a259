// SPDX-License-Identifier: Apache-2.0
// What tract may find out about a tensor.
#pragma once

#include <optional>
#include <vector>

#include "src/draft/tensor_entry.h"
#include "src/tract_forms/outside.h"

namespace t2n::tract_forms {

using draft::Ref;
using ir::Dim;
using ir::Ints;

/// The product of the constants that have scaled a tensor so far.
struct Scaling {
  double least = 0,
         most = 0;       ///< exponents of 2: of the smallest factor that is not 0, and the largest
  bool is_exact = true;  ///< powers of two only
};

/// What tract's regions of interest are derived from; see regions.h.
struct Regions {
  /// An operation that reads the tensor.
  struct Use {
    int result;                     ///< whose region is the tensor's as well
    std::optional<Outside> factor;  ///< or the constant that multiplies the tensor
  };
  std::vector<Use> uses;
  std::vector<Ref> operands;  ///< that have its region
  bool is_noted = false;      ///< as a result
  std::optional<Outside> outside;
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
  std::optional<Regions> regions;   ///< how tract derives its region of interest
  std::optional<Dim> scanned;       ///< the number of iterations of the scan that computed it
};

}  // namespace t2n::tract_forms
