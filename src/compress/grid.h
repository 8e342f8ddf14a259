// From ranges to scales and zero points, and the ranges whose errors are least.
#pragma once

#include <cstdint>
#include <vector>

#include "src/compress/histogram.h"
#include "src/compress/settings.h"

namespace t2n::compress {

/// Of zeros alone: what torch's observers take at the least.
inline constexpr double kScaleOfNothing = 1.1920928955078125e-07;
/// Its inverse, and the product of two, are normal numbers in f32.
inline constexpr double kLeastScale = 0x1p-60;

struct Range {
  double low = 0;
  double high = 0;
};

struct Scale {
  double scale = 1;  ///< an f32
  int64_t zero_point = 0;
};

/// The scale at which the integers of a grid reach over a range, zero among them. As torch's
/// observers choose it: symmetric grids have their zero point in the middle.
Scale scale_for(Range range, const Grid& grid);

/// What the integers of a grid make of a real.
double rounded(double value, const Scale& scale, const Grid& grid);

/// The part of a range, about zero, that gives the least sum of squared errors.
Range least_squares_range(const Histogram& seen, Range range, const Grid& grid);
/// The part of a range whose rounded distribution is nearest to the one that was seen, by the
/// relative entropy of bins.   Source: Migacz, 8-bit inference with TensorRT, 2017.
Range entropy_range(const Histogram& seen, Range range, const Grid& grid);
/// The same for the values themselves, for a weight's channel.
Range least_squares_range(const std::vector<double>& values, Range range, const Grid& grid);

}  // namespace t2n::compress
