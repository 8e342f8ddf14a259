// SPDX-License-Identifier: Apache-2.0
// Points of the unit circle at fractions of a turn, for Fourier matrices.
#pragma once

#include <cstdint>

namespace t2n::ir {

struct CirclePoint {
  double cos = 1;
  double sin = 0;
};

/// The point at i / n of a turn, n > 0. Symmetric points have bit-identical coordinates up to
/// sign, and quarters of a turn are exact, so entries that are equal in torch's spectra stay equal.
CirclePoint circle_point(int64_t i, int64_t n);

}  // namespace t2n::ir
