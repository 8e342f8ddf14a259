// SPDX-License-Identifier: Apache-2.0
// Discrete Fourier transforms as matrices, and the size from which tract's own transform is better.
#pragma once

#include "src/translate/emitter.h"

namespace t2n::ops {

/// exp(±2 pi i j k / n), `scale` times; `inverse` has the plus sign.
struct Dft {
  int64_t n = 1;
  bool inverse = false;
  double scale = 1;
};

/// Larger matrices take more time than tract's own transform (measured on all its versions).
constexpr int64_t kMostDftEntries = int64_t{1} << 18;

/// Shape [n, bins, 2]: what each entry of a real signal adds to each pair.
Ref real_dft(Emitter& out, const Dft& dft, int64_t bins, DType dtype);
/// The same for frames under a window, as a convolution's filter [bins * 2, 1, n]. `window` has n
/// entries, or none.
Ref windowed_dft(Emitter& out, const Dft& dft, int64_t bins, const std::vector<double>& window,
                 DType dtype);
/// Shape [2 * n, 2 * n]: pairs to pairs.
Ref complex_dft(Emitter& out, const Dft& dft, DType dtype);
/// Shape [2 * (n / 2 + 1), n]: half of a symmetric spectrum to a real signal.
Ref symmetric_dft(Emitter& out, const Dft& dft, DType dtype);

/// Real numbers with zeros as imaginary parts, along a new last axis.
Ref with_zero_imaginary(Emitter& out, Ref x);

/// The entries of half a spectrum.
inline Dim half_spectrum(const Dim& n) { return floor_div(n, 2) + 1; }

}  // namespace t2n::ops
