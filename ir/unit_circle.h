// Points of the unit circle at fractions of a turn, for Fourier matrices.
#pragma once

#include <cstdint>

namespace t2n::ir {

struct CirclePoint {
  double cos = 1;
  double sin = 0;
};

/// The point at i / n of a turn, n > 0. Points that lie symmetrically have the same coordinates but
/// for their signs, to the last bit, and quarters of a turn are exact: what a model finds equal in
/// torch's spectra stays equal.
CirclePoint circle_point(int64_t i, int64_t n);

}  // namespace t2n::ir
