// SPDX-License-Identifier: Apache-2.0
// Q4_0: blocks of 32 values along a row, with a half-float scale d and 4-bit codes; a value is (q -
// 8) * d.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "ir/tensor.h"

namespace t2n::compress {

/// `t2n::dequantise_q4_0(self: u8 of packed_shape(shape), shape, dtype)`: a tensor of that shape.
inline constexpr std::string_view kDequantise = "t2n::dequantise_q4_0";

inline constexpr int64_t kQ4Values = 32;
inline constexpr int64_t kQ4Bytes = 18;

/// How the scale of a block is chosen.
enum class Q4Scale {
  largest,      ///< the value of largest magnitude becomes -8 * d: what ggml does
  least_error,  ///< the least sum of squared errors among many scales, never more than
                ///< with `largest`
};

/// Whether a tensor can be packed: its rows, along the first axis, must hold a multiple of 32
/// values.
bool fits_q4_0(const ir::Ints& shape);
/// [rows, bytes of a row] of the packed form of a tensor that fits.
ir::Ints packed_shape(const ir::Ints& shape);

/// The scale of a block as the file holds it, in half floats; infinite beyond their range.
float q4_scale(std::span<const float> values, Q4Scale rule);
/// The code of a value for a scale, 0 to 15: the nearest; the larger one in ties.
int q4_code(double value, float scale);
/// Writes 18 bytes: the scale, then bytes with code i and code i + 16, as in GGUF.
void write_q4_block(float scale, std::span<const uint8_t> codes, std::span<std::byte> block);

/// Problems of weights.
inline constexpr std::string_view kQ4NotFinite = "a value is not finite";
inline constexpr std::string_view kQ4TooLarge =
    "a value is larger than 8 times the largest half float";

struct Packed {
  ir::Tensor blocks;         ///< u8 of packed_shape(); nothing if there is a problem
  std::string problem;       ///< one of the problems above, or ""
  double squared_error = 0;  ///< sum over all elements
  double squared_sum = 0;    ///< of the weights themselves, for comparison
};

/// Packs a fitting tensor of f32 or f16 row by row, without a second copy of it.
Packed encode_q4_0(const ir::Tensor& weight, Q4Scale rule);
/// The values in `dtype`, a float type; f32 and f64 hold them exactly.
ir::Tensor decode_q4_0(const ir::Tensor& blocks, const ir::Ints& shape, ir::DType dtype);

}  // namespace t2n::compress
