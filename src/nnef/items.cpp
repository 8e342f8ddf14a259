// SPDX-License-Identifier: Apache-2.0
// One loop for each storage format.
#include "src/nnef/items.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace t2n::nnef {
namespace {

using ir::DType;
using Bytes = std::span<const std::byte>;

uint64_t from_bit_stream(Bytes bytes, size_t first_bit, int bits) {
  uint64_t out = 0;
  for (size_t bit = first_bit; bit < first_bit + static_cast<size_t>(bits); ++bit)
    out = out << 1U | (std::to_integer<uint64_t>(bytes[bit / 8]) >> (7 - bit % 8) & 1U);
  return out;
}

uint64_t from_little_endian(Bytes bytes) {
  uint64_t out = 0;
  std::memcpy(&out, bytes.data(), bytes.size());
  return out;
}

uint64_t sign_extended(uint64_t value, int bits) {
  const uint64_t sign = uint64_t{1} << (bits - 1);
  return (value ^ sign) - sign;
}

float half(Bytes bytes) {
  uint16_t bits = 0;
  std::memcpy(&bits, bytes.data(), sizeof bits);
  return ir::half_to_float(bits);
}

/// Calls `value` for every element of a new f32 tensor.
template <typename Value>
ir::Tensor f32_tensor(const ir::Ints& shape, Value value) {
  ir::OwnedTensor out = ir::allocate(DType::f32, shape);
  for (size_t i = 0; i < out.data.size() / sizeof(float); ++i) {
    const float number = value(i);
    std::memcpy(out.data.data() + i * sizeof number, &number, sizeof number);
  }
  return std::move(out.tensor);
}

/// Value `index` of a block.
float block_value(Bytes block, BlockFormat format, size_t index) {
  const float scale = half(block);
  const auto nibble = [&](size_t byte, bool high) {
    const auto both = std::to_integer<int>(block[2 + byte]);
    return static_cast<float>((high ? both >> 4 : both & 15) - 8);
  };
  switch (format) {
    case BlockFormat::q4_0: return scale * nibble(index % 16, index >= 16);
    case BlockFormat::q4_0_pairs: return scale * nibble(index / 2, index % 2 != 0);
    case BlockFormat::q8_1:
      return scale * static_cast<float>(static_cast<int8_t>(block[4 + index]));
  }
  return 0;
}

}  // namespace

ir::Tensor widened(Bytes bytes, int bits, bool is_signed, DType dtype, const ir::Ints& shape) {
  ir::OwnedTensor out = ir::allocate(dtype, shape);
  const size_t size = ir::dtype_size(dtype);
  const size_t width = bits;
  for (size_t i = 0; i < out.data.size() / size; ++i) {
    uint64_t value = bits < 8 ? from_bit_stream(bytes, i * width, bits)
                              : from_little_endian(bytes.subspan(i * width / 8, width / 8));
    if (is_signed) value = sign_extended(value, bits);
    std::memcpy(out.data.data() + i * size, &value, size);
  }
  return std::move(out.tensor);
}

ir::Tensor booleans(Bytes bytes, const ir::Ints& shape) {
  ir::OwnedTensor out = ir::allocate(DType::boolean, shape);
  std::transform(bytes.begin(), bytes.end(), out.data.begin(),
                 [](std::byte value) { return std::byte{value != std::byte{0}}; });
  return std::move(out.tensor);
}

ir::Tensor linear(const ir::Tensor& codes, int bits, float minimum, float maximum) {
  const double largest = std::ldexp(1.0, bits) - 1;
  return f32_tensor(codes.shape, [&](size_t i) {
    const double part = ir::element_f64(codes, static_cast<int64_t>(i)) / largest;
    return static_cast<float>(part * (double{maximum} - minimum) + minimum);
  });
}

ir::Tensor logarithmic(const ir::Tensor& codes, int bits, float maximum) {
  const int64_t largest = (int64_t{1} << bits) - 1;
  const auto top = static_cast<int64_t>(std::ceil(std::log2(double{maximum})));
  return f32_tensor(codes.shape, [&](size_t i) {
    const int64_t exponent = ir::element_i64(codes, static_cast<int64_t>(i)) + top - largest;
    return static_cast<float>(std::ldexp(1.0, static_cast<int>(exponent)));
  });
}

int64_t block_bytes(BlockFormat format) { return format == BlockFormat::q8_1 ? 36 : 18; }

ir::Tensor from_blocks(Bytes bytes, BlockFormat format, const ir::Ints& shape) {
  const size_t size = block_bytes(format);
  constexpr size_t kValues = kBlockValues;
  return f32_tensor(shape, [&](size_t i) {
    return block_value(bytes.subspan(i / kValues * size, size), format, i % kValues);
  });
}

}  // namespace t2n::nnef
