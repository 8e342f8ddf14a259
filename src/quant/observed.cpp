// SPDX-License-Identifier: Apache-2.0
// The arithmetic of quant_utils::ChooseQuantizationParams, in its mix of f32 and f64.
#include <algorithm>
#include <cmath>

#include "src/quant/fake.h"
#include "src/quant/rounding.h"

namespace t2n::quant {
namespace {

struct Extremes {
  float min;
  float max;
};

/// A symmetric range: as many integers below zero as above it.
Extremes balanced(Extremes range, int64_t low, int64_t high) {
  const auto least = static_cast<int>(-((high - low) / 2 + 1));
  const auto most = static_cast<int>((high - low) / 2);
  const double scale = std::max(std::fabs(range.min / static_cast<float>(least)),
                                std::fabs(range.max / static_cast<float>(most)));
  return {static_cast<float>(scale * least), static_cast<float>(scale * most)};
}

/// Enlarges the scale if it is too small, and the range with it.
double enlarged(double scale, Extremes& range, int64_t low, int64_t high) {
  if (scale >= kLeastScale) return scale;
  const float amplifier = kLeastScale / static_cast<float>(scale);
  const float limit = kLeastScale * static_cast<float>(high - low);
  if (range.min == 0)
    range.max = limit;
  else if (range.max == 0)
    range.min = -limit;
  else
    range = {range.min * amplifier, range.max * amplifier};
  return kLeastScale;
}

/// Computed from the end of the range with the smaller terms.
double zero_point(Extremes range, double scale, double low, double high) {
  const double by_min = range.min / scale;
  const double by_max = range.max / scale;
  const bool takes_min = std::abs(low) - std::abs(by_min) < std::abs(high) - std::abs(by_max);
  return takes_min ? low - by_min : high - by_max;
}

bool is_two_sided(Extremes range) { return range.min < 0 && range.max > 0; }

}  // namespace

Affine chosen_affine(const std::vector<double>& least, const std::vector<double>& greatest,
                     int64_t low, int64_t high, bool is_symmetric) {
  Affine out;
  for (size_t i = 0; i < std::min(least.size(), greatest.size()); ++i) {
    Extremes range = {static_cast<float>(least[i]), static_cast<float>(greatest[i])};
    if (is_symmetric && is_two_sided(range)) range = balanced(range, low, high);
    range = {std::min(range.min, 0.0F), std::max(range.max, 0.0F)};
    double scale = (static_cast<double>(range.max) - range.min) / static_cast<double>(high - low);
    const auto narrow = static_cast<float>(scale);
    if (narrow == 0 || std::isinf(1 / narrow)) scale = 0.1;
    scale = enlarged(scale, range, low, high);
    const auto bottom = static_cast<double>(low);
    const auto top = static_cast<double>(high);
    const double point = is_symmetric && is_two_sided(range)
                             ? static_cast<double>(low + high) / 2
                             : zero_point(range, scale, bottom, top);
    out.scales.push_back(static_cast<double>(static_cast<float>(scale)));
    out.zero_points.push_back(std::nearbyint(std::clamp(point, bottom, top)));
  }
  return out;
}

}  // namespace t2n::quant
