// SPDX-License-Identifier: Apache-2.0
#include "src/compress/round/q4_0.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include "ir/cast.h"
#include "ir/elements.h"
#include "src/diag/error.h"

namespace t2n::compress {
namespace {

using ir::DType;
using ir::Tensor;

constexpr size_t kValues = kQ4Values;
constexpr size_t kBytes = kQ4Bytes;
constexpr int kZeroCode = 8;
constexpr int kMostCode = 15;

float rounded_to_half(double value) {
  return ir::half_to_float(ir::float_to_half(static_cast<float>(value)));
}

double squared_error(std::span<const float> values, float scale) {
  double sum = 0;
  for (const float value : values) {
    const double error = value - double{scale} * (q4_code(value, scale) - kZeroCode);
    sum += error * error;
  }
  return sum;
}

/// The value with the largest magnitude; the first of several.
float extreme(std::span<const float> values) {
  return *std::max_element(values.begin(), values.end(),
                           [](float a, float b) { return std::abs(a) < std::abs(b); });
}

/// The least-squares scale for the codes at `scale`.
float refitted(std::span<const float> values, float scale) {
  double products = 0, squares = 0;
  for (const float value : values) {
    const double code = q4_code(value, scale) - kZeroCode;
    products += code * value;
    squares += code * code;
  }
  return squares == 0 ? scale : rounded_to_half(products / squares);
}

/// The best of many scales of both signs, since there is one more code on one side of zero. Only
/// half-float scales are tried, since the file stores the scale as one.
float searched(std::span<const float> values, float start) {
  constexpr int kSteps = 18;
  constexpr double kFewest = 5.5, kStep = 0.25;  // range of codes for the largest value
  struct Best {
    float scale;
    double error;
  } best{start, squared_error(values, start)};
  const auto attempt = [&](float scale) {
    if (scale == 0 || !std::isfinite(scale)) return;
    if (const double error = squared_error(values, scale); error < best.error)
      best = {scale, error};
  };
  const double largest = extreme(values);
  for (const double sign : {-1.0, 1.0})
    for (int step = 0; step < kSteps; ++step) {
      const float scale = rounded_to_half(sign * largest / (kFewest + kStep * step));
      attempt(scale);
      if (scale != 0 && std::isfinite(scale)) attempt(refitted(values, scale));
    }
  attempt(refitted(values, best.scale));
  return best.scale;
}

/// Encodes a block and adds its errors to those of `packed`.
void encode_block(std::span<const float> values, Q4Scale rule, std::span<std::byte> block,
                  Packed& packed) {
  if (!std::all_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); })) {
    packed.problem = kQ4NotFinite;
    return;
  }
  const float scale = q4_scale(values, rule);
  if (!std::isfinite(scale)) {
    packed.problem = kQ4TooLarge;
    return;
  }
  std::array<uint8_t, kValues> codes{};
  for (size_t i = 0; i < kValues; ++i) codes[i] = static_cast<uint8_t>(q4_code(values[i], scale));
  write_q4_block(scale, codes, block);
  packed.squared_error += squared_error(values, scale);
  for (const float value : values) packed.squared_sum += double{value} * value;
}

/// The values of a block as doubles, which hold the products exactly.
void decode_block(std::span<const std::byte> block, std::span<double> values) {
  uint16_t bits = 0;
  std::memcpy(&bits, block.data(), sizeof bits);
  const double scale = ir::half_to_float(bits);
  for (size_t i = 0; i < kValues / 2; ++i) {
    const auto both = std::to_integer<int>(block[sizeof bits + i]);
    values[i] = scale * ((both & kMostCode) - kZeroCode);
    values[i + kValues / 2] = scale * ((both >> 4) - kZeroCode);
  }
}

}  // namespace

bool fits_q4_0(const ir::Ints& shape) {
  if (shape.size() < 2 || ir::element_count(shape) == 0) return false;
  return ir::element_count(shape) / shape[0] % kQ4Values == 0;
}

ir::Ints packed_shape(const ir::Ints& shape) {
  T2N_ASSERT(fits_q4_0(shape), "a tensor that does not fit Q4_0");
  return {shape[0], ir::element_count(shape) / shape[0] / kQ4Values * kQ4Bytes};
}

float q4_scale(std::span<const float> values, Q4Scale rule) {
  const float scale = rounded_to_half(extreme(values) / -double{kZeroCode});
  if (rule == Q4Scale::largest || !std::isfinite(scale)) return scale;
  return searched(values, scale);
}

int q4_code(double value, float scale) {
  if (scale == 0) return kZeroCode;
  return static_cast<int>(std::clamp(std::floor(value / double{scale} + kZeroCode + 0.5), 0.0,
                                     static_cast<double>(kMostCode)));
}

void write_q4_block(float scale, std::span<const uint8_t> codes, std::span<std::byte> block) {
  const uint16_t bits = ir::float_to_half(scale);
  std::memcpy(block.data(), &bits, sizeof bits);
  for (size_t i = 0; i < kValues / 2; ++i)
    block[sizeof bits + i] = static_cast<std::byte>(codes[i] | codes[i + kValues / 2] << 4);
}

Packed encode_q4_0(const Tensor& weight, Q4Scale rule) {
  ir::OwnedTensor out = ir::allocate(DType::u8, packed_shape(weight.shape));
  Packed packed;
  std::vector<float> row;
  std::span<std::byte> rest = out.data;
  for (int64_t index = 0; index < weight.shape[0]; ++index) {
    ir::read_row(weight, index, row);
    for (size_t at = 0; at < row.size(); at += kValues) {
      encode_block(std::span(row).subspan(at, kValues), rule, rest.first(kBytes), packed);
      if (!packed.problem.empty()) return packed;
      rest = rest.subspan(kBytes);
    }
  }
  packed.blocks = std::move(out.tensor);
  return packed;
}

Tensor decode_q4_0(const Tensor& blocks, const ir::Ints& shape, DType dtype) {
  T2N_ASSERT(ir::is_float(dtype), "Q4_0 holds floats, not ", ir::dtype_name(dtype));
  T2N_ASSERT(blocks.dtype == DType::u8 && blocks.shape == packed_shape(shape),
             "Q4_0 blocks of another shape");
  const Tensor rows = ir::contiguous(blocks);
  ir::OwnedTensor out = ir::allocate(dtype, shape);
  const size_t size = ir::dtype_size(dtype);
  std::array<double, kValues> values{};
  for (size_t i = 0; i < out.data.size() / size / kValues; ++i) {
    decode_block(rows.bytes.subspan(i * kBytes, kBytes), values);
    (void)ir::cast_elements(DType::f64, std::as_bytes(std::span(values)), dtype,
                            out.data.subspan(i * kValues * size, kValues * size));
  }
  return std::move(out.tensor);
}

}  // namespace t2n::compress
