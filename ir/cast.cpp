// SPDX-License-Identifier: Apache-2.0
// Element conversions, one loop per pair of dtypes, and the bit patterns of 16-bit floats.
#include "ir/cast.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "ir/tensor.h"
#include "src/diag/error.h"

namespace t2n::ir {
namespace {

// Storage of dtypes without a C++ type of their own.
struct Half {
  uint16_t bits;
};
struct BFloat {
  uint16_t bits;
};
struct Boolean {
  uint8_t bits;
};

template <typename T>
T number(T value) {
  return value;
}
float number(Half value) { return half_to_float(value.bits); }
float number(BFloat value) { return bfloat_to_float(value.bits); }
uint8_t number(Boolean value) { return value.bits != 0 ? 1 : 0; }

/// Calls `visit` with a value of the type that stores `dtype`.
template <typename Visit>
auto with_storage(DType dtype, Visit&& visit) {
  switch (dtype) {
    case DType::boolean: return visit(Boolean{});
    case DType::u8: return visit(uint8_t{});
    case DType::u16: return visit(uint16_t{});
    case DType::u32: return visit(uint32_t{});
    case DType::u64: return visit(uint64_t{});
    case DType::i8: return visit(int8_t{});
    case DType::i16: return visit(int16_t{});
    case DType::i32: return visit(int32_t{});
    case DType::i64: return visit(int64_t{});
    case DType::f16: return visit(Half{});
    case DType::bf16: return visit(BFloat{});
    case DType::f32: return visit(float{});
    case DType::f64: return visit(double{});
    case DType::c64:
    case DType::c128: break;
  }
  internal_error(__FILE__, __LINE__, cat(dtype_name(dtype), " elements are not plain numbers"));
}

template <typename To, typename From>
bool fits(From value) {
  if constexpr (std::is_integral_v<From>) {
    return std::in_range<To>(value);
  } else {
    // 2^digits is exact in double, while the type's largest value may not be.
    constexpr double kEnd = static_cast<double>((std::numeric_limits<To>::max() >> 1U) + 1) * 2.0;
    const double truncated = std::trunc(static_cast<double>(value));
    return truncated >= static_cast<double>(std::numeric_limits<To>::min()) && truncated < kEnd;
  }
}

/// Nothing if the value does not fit.
template <typename To, typename From>
std::optional<To> convert(From from) {
  const auto value = number(from);
  if constexpr (std::is_same_v<To, Boolean>) {
    return Boolean{static_cast<uint8_t>(value != 0 ? 1 : 0)};
  } else if constexpr (std::is_same_v<To, Half>) {
    return Half{float_to_half(static_cast<float>(value))};
  } else if constexpr (std::is_same_v<To, BFloat>) {
    return BFloat{float_to_bfloat(static_cast<float>(value))};
  } else if constexpr (std::is_floating_point_v<To>) {
    return static_cast<To>(value);
  } else {
    if (!fits<To>(value)) return std::nullopt;
    return static_cast<To>(value);
  }
}

template <typename To, typename From>
std::optional<size_t> cast_all(const std::byte* in, size_t count, std::byte* out) {
  for (size_t i = 0; i < count; ++i) {
    From from;
    std::memcpy(&from, in + i * sizeof from, sizeof from);
    const std::optional<To> to = convert<To>(from);
    if (!to) return i;
    std::memcpy(out + i * sizeof(To), &*to, sizeof(To));
  }
  return std::nullopt;
}

/// The top bits of `value` with `dropped` bits rounded away, to nearest, ties to even.
uint32_t round_off(uint32_t value, unsigned dropped) {
  const uint32_t half = 1U << (dropped - 1);
  const uint32_t odd = (value >> dropped) & 1U;
  return (value + half - 1 + odd) >> dropped;
}

}  // namespace

std::optional<size_t> cast_elements(DType from, std::span<const std::byte> in, DType to,
                                    std::span<std::byte> out) {
  const size_t count = in.size() / static_cast<size_t>(dtype_size(from));
  T2N_ASSERT(out.size() == count * static_cast<size_t>(dtype_size(to)), "a cast of ", count,
             " elements into ", out.size(), " bytes");
  if (count == 0) return std::nullopt;
  if (from == to) {
    std::memcpy(out.data(), in.data(), in.size());
    return std::nullopt;
  }
  return with_storage(from, [&]<typename From>(From) {
    return with_storage(
        to, [&]<typename To>(To) { return cast_all<To, From>(in.data(), count, out.data()); });
  });
}

float half_to_float(uint16_t bits) {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000U) << 16;
  const uint32_t exponent = (bits >> 10) & 0x1fU;
  const uint32_t mantissa = bits & 0x3ffU;
  if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000U | (mantissa << 13));
  if (exponent != 0)
    return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
  const float tiny = std::ldexp(static_cast<float>(mantissa), -24);
  return sign != 0 ? -tiny : tiny;
}

uint16_t float_to_half(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = (bits >> 16) & 0x8000U;
  const uint32_t magnitude = bits & 0x7fffffffU;
  uint32_t out = 0;
  if (magnitude > 0x7f800000U) {
    out = 0x7e00U | ((magnitude >> 13) & 0x1ffU);  // quiet NaN, payload kept
  } else if (magnitude >= 0x477ff000U) {
    out = 0x7c00U;  // 65520 and above round to infinity
  } else if (magnitude >= 0x38800000U) {
    out = round_off(magnitude - (112U << 23), 13);
  } else if (magnitude >= 0x33000000U) {  // 2^-25, half of the smallest subnormal
    const uint32_t exponent = magnitude >> 23;
    out = round_off((magnitude & 0x7fffffU) | 0x800000U, 126 - exponent);
  }
  return static_cast<uint16_t>(sign | out);
}

float bfloat_to_float(uint16_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

uint16_t float_to_bfloat(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if (std::isnan(value)) return static_cast<uint16_t>((bits >> 16) | 0x40U);
  return static_cast<uint16_t>(round_off(bits, 16));
}

}  // namespace t2n::ir
