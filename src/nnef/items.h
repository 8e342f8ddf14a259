// SPDX-License-Identifier: Apache-2.0
// Converts items of tensor files that no dtype can represent directly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "ir/tensor.h"

namespace t2n::nnef {

/// Integers of `bits` bits: for 1 to 7 a bit stream from the highest bit of the first byte, for 24,
/// 40, 48 and 56 little-endian bytes. The caller has checked the length.
ir::Tensor widened(std::span<const std::byte> bytes, int bits, bool is_signed, ir::DType dtype,
                   const ir::Ints& shape);

/// Every byte other than zero is true.
ir::Tensor booleans(std::span<const std::byte> bytes, const ir::Ints& shape);

/// f32 from unsigned integers: `minimum` for 0, `maximum` for the largest (NNEF 1.0 §5.2, 0x10).
ir::Tensor linear(const ir::Tensor& codes, int bits, float minimum, float maximum);

/// f32 from exponents of two; the largest is the first power not below `maximum` (0x11).
ir::Tensor logarithmic(const ir::Tensor& codes, int bits, float maximum);

/// Blocks of 32 values as in ggml: a half-float scale, then 4-bit or 8-bit codes.
enum class BlockFormat {
  q4_0,        ///< value i is paired with value i + 16
  q4_0_pairs,  ///< value 2i is paired with value 2i + 1, as tract wrote until 0.21.10
  q8_1,        ///< the scale is followed by a sum, which is ignored
};
inline constexpr int64_t kBlockValues = 32;
int64_t block_bytes(BlockFormat format);
ir::Tensor from_blocks(std::span<const std::byte> bytes, BlockFormat format, const ir::Ints& shape);

}  // namespace t2n::nnef
