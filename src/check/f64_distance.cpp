// SPDX-License-Identifier: Apache-2.0
// Compares the distance of a result from f64 with torch's distance.
#include <algorithm>
#include <cmath>

#include "src/check/compare.h"

namespace t2n::check {
namespace {

/// Engines differ by less than this factor, through the order of sums and approximations.
constexpr double kNear = 4;
/// The limit to which torch's error is raised, relative to the values.
constexpr double kMostRaised = 1e-2;
/// In f32 roundings of the largest element: the error of sums of hundreds, and of an engine's exp
/// or erf near zero, anywhere in an output.
constexpr double kRoundings = 128;
/// The relative error of one rounding: half of the distance between neighbours.
double rounding(ir::DType dtype) {
  if (dtype == ir::DType::f16) return 0x1.0p-11;
  if (dtype == ir::DType::bf16) return 0x1.0p-8;
  return 0x1.0p-24;  // f64, too: engines compute it in f32 if the file requires it
}

/// Accumulates the root mean square and the maximum.
struct Distance {
  double sum = 0;
  double largest = 0;
  void add(double delta) {
    sum += delta * delta;
    largest = std::max(largest, std::abs(delta));
  }
};

}  // namespace

std::optional<F64Distance> measure(const ir::Tensor& exact, const ir::Tensor& torch,
                                   const ir::Tensor& result) {
  const ir::Tensor a = ir::as_pairs(exact);
  const ir::Tensor b = ir::as_pairs(torch);
  const ir::Tensor c = ir::as_pairs(result);
  if (!ir::is_float(b.dtype) || !ir::is_float(c.dtype) || a.shape != b.shape || b.shape != c.shape)
    return std::nullopt;
  const std::vector<double> exact_values = ir::to_f64(a);
  const std::vector<double> torch_values = ir::to_f64(b);
  const std::vector<double> result_values = ir::to_f64(c);
  Distance torch_distance;
  Distance result_distance;
  Distance scale;
  size_t count = 0;
  for (size_t i = 0; i < exact_values.size(); ++i) {
    const bool are_equal = torch_values[i] == result_values[i];
    if (!std::isfinite(exact_values[i]) && std::isfinite(torch_values[i]) && !are_equal)
      return std::nullopt;
    if (!std::isfinite(exact_values[i]) || !std::isfinite(torch_values[i]) ||
        !std::isfinite(result_values[i]))
      continue;
    ++count;
    torch_distance.add(torch_values[i] - exact_values[i]);
    result_distance.add(result_values[i] - exact_values[i]);
    scale.add(exact_values[i]);
  }
  if (count == 0) return std::nullopt;
  const auto rms = [&](const Distance& distance) {
    return std::sqrt(distance.sum / static_cast<double>(count));
  };
  return F64Distance{.result_rms = rms(result_distance),
                     .result_max = result_distance.largest,
                     .torch_rms = rms(torch_distance),
                     .torch_max = torch_distance.largest,
                     .scale_rms = rms(scale),
                     .noise = kRoundings * rounding(ir::DType::f32) * scale.largest};
}

F64Distance widened(F64Distance f64_distance, const ir::Tensor& exact, const ir::Tensor& nearby) {
  const auto moved = measure(exact, nearby, nearby);
  if (!moved) return f64_distance;
  F64Distance raised = f64_distance;
  raised.torch_rms = std::max(f64_distance.torch_rms, moved->torch_rms);
  raised.torch_max = std::max(f64_distance.torch_max, moved->torch_max);
  raised.is_unstable = false;
  if (moved->torch_rms <= kMostRaised * f64_distance.scale_rms) return raised;
  f64_distance.is_unstable = raised.is_as_near();
  return f64_distance;
}

bool F64Distance::is_as_near() const {
  if (result_max <= noise) return true;
  return result_rms <= kNear * torch_rms && result_max <= kNear * torch_max;
}

double F64Distance::ratio(ir::DType dtype) const {
  const double unit = std::max(torch_rms, rounding(dtype) * scale_rms);
  return unit > 0 ? result_rms / unit : 0;
}

}  // namespace t2n::check
