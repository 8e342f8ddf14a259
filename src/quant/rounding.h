// How LibTorch's kernels round: measured on its CPU kernels, and stated only here.
#pragma once

#include <vector>

#include "ir/quant_info.h"
#include "ir/shape.h"

namespace t2n::quant {

/// The nearest f32 number: torch computes scales in f32.
inline double as_f32(double value) { return static_cast<double>(static_cast<float>(value)); }

/// Where torch adds the zero point: before or after rounding. It matters for ties, and near them,
/// since the sum is rounded to f32.
enum class ZeroPoint {
  before_rounding,  ///< element by element, and scales per channel
  after_rounding,   ///< loops over vectors of elements, and sums of integers
  fused             ///< before, with one rounding of product and sum: fbgemm over a whole tensor
};

/// For kernels that run over all elements in one loop: in vectors while elements lie in a row, the
/// rest one by one. Rows shorter than two AVX512 vectors have no vectors. Longer rows leave fewer
/// elements than that, which depends on the processor: they are rounded like the others. `operands`
/// may have smaller shapes, which are broadcast.
ZeroPoint zero_point_in_loops(const ir::Shape& result, const std::vector<ir::Shape>& operands);

/// The steps for a number that a kernel is given.
double steps_of_number(double value, const ir::QuantInfo& info, ZeroPoint zero_point);

/// Vectors are dequantised with one rounding, as q * scale - (zero point * scale), where the
/// product in brackets was rounded before: the error of that product. Zero: the result equals (q -
/// zero point) * scale.
double premultiplied_error(const ir::QuantInfo& info);

}  // namespace t2n::quant
