// SPDX-License-Identifier: Apache-2.0
#include "src/compress/calibrate/statistics.h"

#include <algorithm>
#include <cmath>

#include "ir/elements.h"
#include "src/diag/error.h"

namespace t2n::compress {
namespace {

/// The weight of a new batch in the average: torch's default.
constexpr double kMomentum = 0.01;

bool counts(Observer observer) {
  return observer == Observer::percentile || observer == Observer::histogram ||
         observer == Observer::entropy;
}

Range range_of(const RangeStatistics& channel, const QuantScheme& scheme) {
  const Range all = {std::min(channel.low, 0.0), std::max(channel.high, 0.0)};
  switch (scheme.observer) {
    case Observer::min_max: return all;
    case Observer::moving_average: return {channel.average_low, channel.average_high};
    case Observer::percentile: {
      const double outside = (1 - scheme.quantile) / 2;
      return {std::min(0.0, std::max(channel.low, channel.histogram.quantile(outside))),
              std::max(0.0, std::min(channel.high, channel.histogram.quantile(1 - outside)))};
    }
    case Observer::histogram: return least_squares_range(channel.histogram, all, scheme);
    case Observer::entropy: return entropy_range(channel.histogram, all, scheme);
  }
  internal_error(__FILE__, __LINE__, "no such observer");
}

}  // namespace

Statistics::Statistics(const Observation& observation) : observation_(observation) {}

void Statistics::see(const ir::Tensor& tensor) {
  if (tensor.elements() == 0) return;
  const size_t axis = observation_.axis.value_or(0);
  const size_t channels = observation_.axis ? static_cast<size_t>(tensor.shape.at(axis)) : 1;
  if (channels_.empty()) channels_.resize(channels);
  T2N_ASSERT(channels_.size() == channels, "a tensor of ", channels, " channels had ",
             channels_.size());
  const size_t inner = observation_.axis ? ir::inner_size(tensor.shape, axis) : 1;
  std::vector<Range> batch(channels, {INFINITY, -INFINITY});
  ir::for_each_part(tensor, [&](size_t first, std::span<const double> values) {
    for (size_t i = 0; i < values.size(); ++i) {
      if (!std::isfinite(values[i]))
        throw Error("calibration",
                    "the calibration set produces NaN or infinities inside the model", {},
                    "find the sample that does, with `t2nnef run` on the float export");
      const size_t channel = observation_.axis ? (first + i) / inner % channels : 0;
      batch[channel].low = std::min(batch[channel].low, values[i]);
      batch[channel].high = std::max(batch[channel].high, values[i]);
      if (counts(observation_.scheme.observer)) channels_[channel].histogram.add(values[i]);
    }
  });
  for (size_t c = 0; c < channels; ++c) {
    RangeStatistics& channel = channels_[c];
    const bool is_first = channel.batches == 0;
    const double step = is_first ? 1 : kMomentum;
    channel.low = is_first ? batch[c].low : std::min(channel.low, batch[c].low);
    channel.high = is_first ? batch[c].high : std::max(channel.high, batch[c].high);
    channel.average_low += step * (batch[c].low - channel.average_low);
    channel.average_high += step * (batch[c].high - channel.average_high);
    ++channel.batches;
  }
}

std::vector<Range> Statistics::ranges() const {
  std::vector<Range> out;
  for (const RangeStatistics& channel : channels_)
    out.push_back(range_of(channel, observation_.scheme));
  return out;
}

}  // namespace t2n::compress
