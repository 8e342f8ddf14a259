// How LibTorch's kernels round: measured on its CPU kernels, and said here only.
#pragma once

#include <vector>

#include "ir/quant_info.h"
#include "ir/shape.h"

namespace t2n::quant {

/// The nearest number of f32: torch computes scales in it.
inline double as_f32(double value) { return static_cast<double>(static_cast<float>(value)); }

/// Where torch adds the zero point: to what is rounded, or to what was. It shows in ties, and near
/// them, since the sum is rounded to f32.
enum class ZeroPoint {
  before_rounding,  ///< one element at a time, and scales per channel
  after_rounding,   ///< loops over vectors of elements, and sums of integers
  fused             ///< before, in one rounding with the product: fbgemm over a whole tensor
};

/// Of kernels that run over all elements in one loop: vectors of them where they lie in a row, the
/// rest one by one. Rows of less than two vectors of AVX512 have no vectors. Of longer ones, fewer
/// elements than that are left, and other processors leave others: these are rounded as the rest.
/// `operands` may be of smaller shapes, which are broadcast.
ZeroPoint zero_point_in_loops(const ir::Shape& result, const std::vector<ir::Shape>& operands);

/// The steps that stand for a number that a kernel is given.
double steps_of_number(double value, const ir::QuantInfo& info, ZeroPoint zero_point);

/// Vectors are dequantised in one rounding, as q * scale - (zero point * scale), of which the
/// product in brackets was rounded: by how much it is off. Zero: the same as (q - zero point) *
/// scale.
double premultiplied_error(const ir::QuantInfo& info);

}  // namespace t2n::quant
