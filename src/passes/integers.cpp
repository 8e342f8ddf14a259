// SPDX-License-Identifier: Apache-2.0
#include "src/passes/integers.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

namespace t2n::passes {
namespace {

using ir::DType;

/// Visits f32 numbers in place, others chunk by chunk; false as soon as `visit` returns false.
template <typename Visit>
bool visit_all(const ir::Tensor& tensor, const Visit& visit) {
  const int64_t count = tensor.elements();
  if (tensor.dtype != DType::f32) {
    const std::vector<double> values = ir::to_f64(tensor);
    return std::all_of(values.begin(), values.end(), visit);
  }
  const ir::Tensor row_major = ir::contiguous(tensor);
  for (int64_t i = 0; i < count; ++i) {
    float each = 0;
    std::memcpy(&each, row_major.bytes.data() + static_cast<size_t>(i) * sizeof each, sizeof each);
    if (!visit(static_cast<double>(each))) return false;
  }
  return true;
}

int bits_for(double low, double high, bool is_signed) {
  for (int bits = 1; bits < 8; ++bits) {
    const double most = std::exp2(is_signed ? bits - 1 : bits) - 1;
    const double least = is_signed ? -most - 1 : 0;
    if (low >= least && high <= most) return bits;
  }
  return 8;
}

}  // namespace

std::optional<Integers> integers_in(const ir::Tensor& tensor) {
  if (ir::is_complex(tensor.dtype) || tensor.elements() == 0) return std::nullopt;
  double low = 0;
  double high = 0;
  bool loses_signs = false;
  const bool are_integers = visit_all(tensor, [&](double each) {
    loses_signs = loses_signs || (each == 0 && std::signbit(each));
    low = std::min(low, each);
    high = std::max(high, each);
    return each == std::nearbyint(each) && low >= -128 && high <= 255;
  });
  const bool is_signed = low < 0;
  if (!are_integers || (is_signed && high > 127)) return std::nullopt;
  const ir::OwnedTensor stored = ir::allocate(is_signed ? DType::i8 : DType::u8, tensor.shape);
  size_t at = 0;
  visit_all(tensor, [&](double each) {
    stored.data[at++] = static_cast<std::byte>(static_cast<int>(each) & 0xFF);
    return true;
  });
  ir::QuantInfo info = {.scales = {1}, .zero_points = {0}, .is_signed = is_signed};
  info.bits = bits_for(low, high, is_signed);
  info.narrow_range = is_signed && low > static_cast<double>(info.lowest());
  return Integers{stored.tensor, std::move(info), loses_signs};
}

}  // namespace t2n::passes
