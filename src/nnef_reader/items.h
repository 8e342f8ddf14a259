// Items of tensor files that no dtype holds as they are, into those that do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "ir/tensor.h"

namespace t2n::nnef {

/// Integers of `bits` bits: a bit stream from the highest bit of the first byte for 1 to 7, little
/// endian bytes for 24, 40, 48 and 56. The caller has checked the length.
ir::Tensor widened(std::span<const std::byte> bytes, int bits, bool is_signed, ir::DType dtype,
                   const ir::Ints& shape);

/// Any byte but zero is true.
ir::Tensor booleans(std::span<const std::byte> bytes, const ir::Ints& shape);

/// f32 from codes without sign: `minimum` at 0, `maximum` at the largest (NNEF 1.0 §5.2, 0x10).
ir::Tensor linear(const ir::Tensor& codes, int bits, float minimum, float maximum);

/// f32 from exponents of two, the largest code the first power not below `maximum` (0x11).
ir::Tensor logarithmic(const ir::Tensor& codes, int bits, float maximum);

/// Blocks of 32 values as ggml has them: a half-float scale, then 4-bit or 8-bit codes.
enum class BlockFormat {
  q4_0,        ///< value i beside value i + 16
  q4_0_pairs,  ///< value 2i beside value 2i + 1, as tract wrote until 0.21.10
  q8_1,        ///< behind the scale a sum, which is not needed
};
inline constexpr int64_t kBlockValues = 32;
int64_t block_bytes(BlockFormat format);
ir::Tensor from_blocks(std::span<const std::byte> bytes, BlockFormat format, const ir::Ints& shape);

}  // namespace t2n::nnef
