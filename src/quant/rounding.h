// How LibTorch's kernels round: measured on its CPU kernels, and stated only here.
#pragma once

#include <vector>

#include "ir/quant_info.h"
#include "ir/shape.h"
#include "ir/tensor.h"

namespace t2n::quant {

/// The nearest f32 number: torch computes scales in f32.
inline double as_f32(double value) { return static_cast<double>(static_cast<float>(value)); }

/// The least scale that LibTorch takes, fbgemm's.
inline constexpr float kLeastScale = 6.1e-5F;

/// Where torch adds the zero point: before or after rounding. It matters for ties, and near them,
/// since the sum is rounded to f32.
enum class ZeroPoint {
  before_rounding,  ///< element by element, and scales per channel
  after_rounding,   ///< loops over vectors of elements, and sums of integers
  fused             ///< before, with one rounding of product and sum: fbgemm over a whole tensor
};

/// Which elements a kernel takes in vectors: it rounds them before it adds the zero point. It takes
/// the others one by one, and rounds them with the zero point.
struct Vectors {
  enum class Reach { none, all, some };
  Reach reach = Reach::all;
  ir::Ints shape;           ///< of `taken`, which is broadcast to the result; for `some`
  std::vector<bool> taken;  ///< in row-major order
};

/// In which order the operands' elements lie in memory.
enum class MemoryOrder {
  rows,
  channels_last,
  mixed  ///< the operands differ
};

/// For kernels that run over all elements in one loop: 64 at a time while elements lie in a row,
/// with AVX512 and with AVX2. `operands` may have smaller shapes, which are broadcast.
Vectors vectors_in_loops(const ir::Shape& result, const std::vector<ir::Shape>& operands,
                         MemoryOrder order);
/// For kernels that begin anew for each row of that shape, `block` elements at a time.
Vectors vectors_in_rows(const ir::Ints& row, int64_t block);

/// The steps for a number that a kernel is given.
double steps_of_number(double value, const ir::QuantInfo& info, ZeroPoint zero_point);

/// Vectors are dequantised with one rounding, as q * scale - (zero point * scale), where the
/// product in brackets was rounded before: the error of that product. Zero: the result equals (q -
/// zero point) * scale.
double premultiplied_error(const ir::QuantInfo& info);

}  // namespace t2n::quant
