// SPDX-License-Identifier: Apache-2.0
// Computes scales and zero points from ranges, and finds ranges with the least error.
#pragma once

#include <cstdint>
#include <vector>

#include "src/compress/calibrate/histogram.h"
#include "src/compress/settings/settings.h"

namespace t2n::compress {

/// The scale for zeros only: the smallest one that torch's observers use.
inline constexpr double kScaleOfNothing = 1.1920928955078125e-07;
/// The smallest scale: its inverse, and the product of two, are normal f32 numbers.
inline constexpr double kLeastScale = 0x1p-60;

struct Range {
  double low = 0;
  double high = 0;
};

struct Scale {
  double scale = 1;  ///< an f32
  int64_t zero_point = 0;
};

/// The scale at which a scheme's integers cover a range, zero included, as torch's observers choose
/// it. Symmetric schemes have their zero point in the middle.
Scale scale_for(Range range, const QuantScheme& scheme);

/// A value quantised and dequantised.
double rounded(double value, const Scale& scale, const QuantScheme& scheme);

/// The part of a range, around zero, with the least sum of squared errors.
Range least_squares_range(const Histogram& histogram, Range range, const QuantScheme& scheme);
/// The part of a range whose rounded distribution is closest to the observed one, by the
/// relative entropy of bins.   Source: Migacz, 8-bit inference with TensorRT, 2017.
Range entropy_range(const Histogram& histogram, Range range, const QuantScheme& scheme);
/// The same for a list of values, such as a weight's channel.
Range least_squares_range(const std::vector<double>& values, Range range,
                          const QuantScheme& scheme);

}  // namespace t2n::compress
