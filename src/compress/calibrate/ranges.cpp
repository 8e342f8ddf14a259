// SPDX-License-Identifier: Apache-2.0
#include "src/compress/calibrate/ranges.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "src/compress/calibrate/observe.h"

namespace t2n::compress {
namespace {

/// The number of ranges that are tried, down to a fifth of the initial one.
constexpr int kTries = 80;

double as_f32(double value) { return static_cast<double>(static_cast<float>(value)); }

/// The end of the range in this attempt.
double shrunk(double end, int attempt) { return end * (1 - 0.8 * attempt / kTries); }

/// Varies one end after the other, twice. Symmetric quantisation depends on the larger end only, so
/// both vary together.
Range least(Range range, bool is_symmetric, const std::function<double(Range)>& cost) {
  Range best = range;
  double lowest_cost = cost(range);
  const auto attempt = [&](Range part) {
    const double now = cost(part);
    if (now >= lowest_cost) return;
    lowest_cost = now;
    best = part;
  };
  for (int i = 1; is_symmetric && i <= kTries; ++i)
    attempt({shrunk(range.low, i), shrunk(range.high, i)});
  for (int round = 0; !is_symmetric && round < 2; ++round) {
    for (int i = 0; range.high > 0 && i <= kTries; ++i) attempt({best.low, shrunk(range.high, i)});
    for (int i = 0; range.low < 0 && i <= kTries; ++i) attempt({shrunk(range.low, i), best.high});
  }
  return best;
}

/// The divergence of the observed distribution, with clipped values in the outermost bins, from the
/// distribution after quantisation, where each level's mass is divided evenly among its bins.
double divergence(const Histogram& histogram, const Scale& scale, const QuantScheme& scheme) {
  struct Level {
    double mass = 0;
    double bins = 0;
  };
  const int64_t bottom = lowest(scheme);
  std::vector<Level> levels(highest(scheme) - bottom + 1);
  const auto level_of = [&](double value) {
    const double centred = std::nearbyint(value / scale.scale);
    return static_cast<int64_t>(centred) + scale.zero_point - bottom;
  };
  std::vector<std::pair<double, size_t>> inside;  // count, level
  double below = 0;
  double above = 0;
  for (size_t i = 0; i < histogram.size(); ++i) {
    const double count = histogram.count(i);
    const int64_t level = level_of(histogram.centre(i));
    if (count == 0) continue;
    if (level < 0) {
      below += count;
    } else if (level >= std::ssize(levels)) {
      above += count;
    } else {
      inside.emplace_back(count, static_cast<size_t>(level));
      levels[inside.back().second].mass += count;
      levels[inside.back().second].bins += 1;
    }
  }
  if (inside.empty()) return std::numeric_limits<double>::infinity();
  const double kept = histogram.total() - below - above;
  double out = 0;
  for (size_t i = 0; i < inside.size(); ++i) {
    const auto& [count, level] = inside[i];
    const double cut = (i == 0 ? below : 0) + (i + 1 == inside.size() ? above : 0);
    const double p = (count + cut) / histogram.total();
    out += p * std::log(p / (levels[level].mass / levels[level].bins / kept));
  }
  return out;
}

}  // namespace

Scale scale_for(Range range, const QuantScheme& scheme) {
  const double low = std::min(range.low, 0.0);
  const double high = std::max(range.high, 0.0);
  const auto bottom = static_cast<double>(lowest(scheme));
  const auto top = static_cast<double>(highest(scheme));
  Scale out;
  const double least = low == 0 && high == 0 ? kScaleOfNothing : kLeastScale;
  if (scheme.is_symmetric) {
    const double most = std::max(-low, high);
    const bool is_one_sided = !scheme.is_signed && low == 0;
    // Unsigned integers have one level less above their middle than below it. Signed ones have one
    // less above zero, unless the range is narrow; torch then clips the largest value by half a
    // step.
    const double intervals = scheme.is_signed || is_one_sided
                                 ? (top - bottom) / (scheme.is_signed ? 2 : 1)
                                 : (top - 1) / 2;
    out.scale = std::max(as_f32(most / intervals), least);
    if (!scheme.is_signed)
      out.zero_point = is_one_sided ? lowest(scheme) : (int64_t{1} << (scheme.bits - 1));
    return out;
  }
  out.scale = std::max(as_f32((high - low) / (top - bottom)), least);
  const double point = std::nearbyint(bottom - low / out.scale);
  out.zero_point = static_cast<int64_t>(std::clamp(point, bottom, top));
  return out;
}

double rounded(double value, const Scale& scale, const QuantScheme& scheme) {
  const auto point = static_cast<double>(scale.zero_point);
  const double q =
      std::clamp(std::nearbyint(value / scale.scale) + point, static_cast<double>(lowest(scheme)),
                 static_cast<double>(highest(scheme)));
  return (q - point) * scale.scale;
}

Range least_squares_range(const Histogram& histogram, Range range, const QuantScheme& scheme) {
  return least(range, scheme.is_symmetric, [&](Range part) {
    const Scale scale = scale_for(part, scheme);
    double sum = 0;
    for (size_t i = 0; i < histogram.size(); ++i) {
      if (histogram.count(i) == 0) continue;
      const double error = rounded(histogram.centre(i), scale, scheme) - histogram.centre(i);
      sum += histogram.count(i) * error * error;
    }
    return sum;
  });
}

Range least_squares_range(const std::vector<double>& values, Range range,
                          const QuantScheme& scheme) {
  return least(range, scheme.is_symmetric, [&](Range part) {
    const Scale scale = scale_for(part, scheme);
    double sum = 0;
    for (const double value : values) {
      const double error = rounded(value, scale, scheme) - value;
      sum += error * error;
    }
    return sum;
  });
}

Range entropy_range(const Histogram& histogram, Range range, const QuantScheme& scheme) {
  return least(range, scheme.is_symmetric,
               [&](Range part) { return divergence(histogram, scale_for(part, scheme), scheme); });
}

}  // namespace t2n::compress
