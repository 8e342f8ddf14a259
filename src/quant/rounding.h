// SPDX-License-Identifier: Apache-2.0
// The rounding of LibTorch's CPU kernels, as measured.
#pragma once

#include <optional>
#include <vector>

#include "ir/quant_info.h"
#include "ir/shape.h"
#include "ir/tensor.h"

namespace t2n::quant {

/// The nearest f32 number: torch computes scales in f32.
inline double as_f32(double value) { return static_cast<double>(static_cast<float>(value)); }

/// The smallest scale that LibTorch uses, fbgemm's.
inline constexpr float kLeastScale = 6.1e-5F;

/// Whether torch adds the zero point before or after rounding. It matters at and near ties, since
/// the sum is rounded to f32.
enum class ZeroPoint {
  before_rounding,  ///< scalar loops, and per-channel scales
  after_rounding,   ///< vectorised loops, and sums of integers
  fused             ///< before, with one rounding of product and sum: fbgemm
};

/// The elements that a kernel vectorises: it rounds them before it adds the zero point. It adds the
/// zero point to the others before rounding.
struct Vectors {
  enum class Reach { none, all, some };
  Reach reach = Reach::all;
  ir::Ints shape;  ///< of `is_vectorised`, which is broadcast to the result; for `some`
  std::vector<bool> is_vectorised;  ///< by element, in row-major order: whether it is vectorised
};

/// The memory order of the operands.
enum class MemoryOrder {
  rows,
  channels_last,
  mixed  ///< the operands differ
};

/// For kernels that run over all elements in one loop: blocks of 64 contiguous elements, with
/// AVX512 and with AVX2. `operands` may have smaller shapes, which are broadcast.
Vectors vectors_in_loops(const ir::Shape& result, const std::vector<ir::Shape>& operands,
                         MemoryOrder order);
/// For kernels that process each row of that shape separately, in blocks of `block` elements.
Vectors vectors_in_rows(const ir::Ints& row, int64_t block);

/// A number quantised as a kernel's argument, minus the zero point.
double centred_number(double value, const ir::QuantInfo& info, ZeroPoint zero_point);

/// Vectorised kernels dequantise with one rounding, as q * scale - (zero point * scale), where the
/// product in brackets is rounded first. Returns the error of that product; if it is zero, the
/// result equals (q - zero point) * scale.
double premultiplied_error(const ir::QuantInfo& info);

/// Two parts of a scale: for every centred integer c of 8 bits, c * high + (c * low + error) in f32
/// is c * scale + error, rounded once.
struct ScaleParts {
  double high = 0;
  double low = 0;  ///< 0: so is c * high alone
};
/// Nothing if f32 does not suffice: all integers are tried.
std::optional<ScaleParts> scale_parts(const ir::QuantInfo& info, double error);

}  // namespace t2n::quant
