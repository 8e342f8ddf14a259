// How near a result is to f64, compared with torch.
#include <algorithm>
#include <cmath>

#include "src/check/compare.h"

namespace t2n::check {
namespace {

/// Engines differ by less than this factor, by the order of sums and by approximations.
constexpr double kNear = 4;
/// The limit to which torch's error is raised, relative to the values.
constexpr double kMostRaised = 1e-2;
/// In roundings of f32 of the largest element: sums of hundreds, and an engine's exp or erf near
/// zero, are off by as much anywhere in an output.
constexpr double kRoundings = 128;
/// Half of the distance between neighbours, relative: the cost of one rounding.
double rounding(ir::DType dtype) {
  if (dtype == ir::DType::f16) return 0x1.0p-11;
  if (dtype == ir::DType::bf16) return 0x1.0p-8;
  return 0x1.0p-24;  // f64 too: engines compute it in f32 if the file says so
}

/// The root mean square, and the maximum.
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
  const std::vector<double> truth = ir::to_f64(a);
  const std::vector<double> of_torch = ir::to_f64(b);
  const std::vector<double> of_result = ir::to_f64(c);
  Distance torch_distance;
  Distance result_distance;
  Distance scale;
  size_t count = 0;
  for (size_t i = 0; i < truth.size(); ++i) {
    const bool are_equal = of_torch[i] == of_result[i];
    if (!std::isfinite(truth[i]) && std::isfinite(of_torch[i]) && !are_equal) return std::nullopt;
    if (!std::isfinite(truth[i]) || !std::isfinite(of_torch[i]) || !std::isfinite(of_result[i]))
      continue;
    ++count;
    torch_distance.add(of_torch[i] - truth[i]);
    result_distance.add(of_result[i] - truth[i]);
    scale.add(truth[i]);
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
