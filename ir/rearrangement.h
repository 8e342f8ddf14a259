// SPDX-License-Identifier: Apache-2.0
// Operators that move elements, by their arguments; linear operators.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace t2n::ir {

/// Moves elements by the axes and sizes in its arguments, and would do the same with tensors that
/// have a further axis at the end.
struct Rearrangement {
  std::array<std::string_view, 2> axes = {};  ///< arguments that name axes
  bool adds_axis = false;                     ///< axes are those of the result
  std::string_view sizes = {};                ///< a list of sizes…
  int64_t last_size = 0;                      ///< …that gets one more
  std::string_view order = {};                ///< a permutation
};

/// Acts on the real and on the imaginary parts of complex tensors separately.
struct Linear {};

}  // namespace t2n::ir
