// SPDX-License-Identifier: Apache-2.0
#include "src/check/ulps.h"

#include <bit>
#include <cmath>
#include <limits>

#include "ir/tensor.h"

namespace t2n::check {
namespace {

/// The bits of a float as integers in the order of the numbers; -0 equals 0.
int64_t rank_of(uint64_t bits, uint64_t sign) {
  const auto magnitude = static_cast<int64_t>(bits & (sign - 1));
  return (bits & sign) != 0 ? -magnitude : magnitude;
}

int64_t position(double value, ir::DType dtype) {
  constexpr uint64_t kSign16 = uint64_t{1} << 15, kSign32 = uint64_t{1} << 31,
                     kSign64 = uint64_t{1} << 63;
  const auto single = static_cast<float>(value);
  if (dtype == ir::DType::f64) return rank_of(std::bit_cast<uint64_t>(value), kSign64);
  if (dtype == ir::DType::f16) return rank_of(ir::float_to_half(single), kSign16);
  if (dtype == ir::DType::bf16) return rank_of(ir::float_to_bfloat(single), kSign16);
  return rank_of(std::bit_cast<uint32_t>(single), kSign32);
}

}  // namespace

uint64_t UlpCounts::distance(double expected, double actual) const {
  if (expected == actual || (std::isnan(expected) && std::isnan(actual))) return 0;
  if (!std::isfinite(expected) || !std::isfinite(actual))
    return std::numeric_limits<uint64_t>::max();
  const int64_t a = position(expected, dtype_);
  const int64_t b = position(actual, dtype_);
  return a > b ? static_cast<uint64_t>(a) - static_cast<uint64_t>(b)
               : static_cast<uint64_t>(b) - static_cast<uint64_t>(a);
}

size_t UlpCounts::bucket_of(uint64_t distance) {
  if (distance == std::numeric_limits<uint64_t>::max()) return kBuckets - 1;
  if (distance < kExact) return distance;
  const auto power = static_cast<int>(std::bit_width(distance)) - 1;
  constexpr int kPartBits = 5;
  const uint64_t part = distance >> (power - kPartBits) & (kParts - 1);
  return kExact + static_cast<size_t>(power - kFirstPower) * kParts + part;
}

double UlpCounts::least_of(size_t bucket) {
  if (bucket == kBuckets - 1) return std::numeric_limits<double>::infinity();
  if (bucket < kExact) return static_cast<double>(bucket);
  const size_t index = bucket - kExact;
  const double part = static_cast<double>(index % kParts) / kParts;
  return std::ldexp(1 + part, static_cast<int>(index / kParts) + kFirstPower);
}

void UlpCounts::add(double expected, double actual) {
  if (!ir::is_float(dtype_)) return;
  ++elements_;
  ++counts_.at(bucket_of(distance(expected, actual)));
}

double UlpCounts::p99() const {
  const int64_t most_beyond = elements_ / 100;
  int64_t beyond = 0;
  for (size_t bucket = kBuckets; bucket-- > 0;) {
    beyond += counts_.at(bucket);
    if (beyond > most_beyond) return least_of(bucket);
  }
  return 0;
}

}  // namespace t2n::check
