#include "src/compress/statistics.h"

#include <algorithm>
#include <cmath>

#include "src/compress/elements.h"
#include "src/diag/error.h"

namespace t2n::compress {
namespace {

/// The weight of a new batch in the average: torch's default.
constexpr double kMomentum = 0.01;

bool counts(Observer observer) {
  return observer == Observer::percentile || observer == Observer::histogram ||
         observer == Observer::entropy;
}

Range range_of(const Seen& seen, const Grid& grid) {
  const Range all = {std::min(seen.low, 0.0), std::max(seen.high, 0.0)};
  switch (grid.observer) {
    case Observer::min_max: return all;
    case Observer::moving_average: return {seen.average_low, seen.average_high};
    case Observer::percentile: {
      const double outside = (1 - grid.quantile) / 2;
      return {std::min(0.0, std::max(seen.low, seen.histogram.quantile(outside))),
              std::max(0.0, std::min(seen.high, seen.histogram.quantile(1 - outside)))};
    }
    case Observer::histogram: return least_squares_range(seen.histogram, all, grid);
    case Observer::entropy: return entropy_range(seen.histogram, all, grid);
  }
  internal_error(__FILE__, __LINE__, "no such observer");
}

}  // namespace

Statistics::Statistics(const Observation& observation) : of_(observation) {}

void Statistics::see(const ir::Tensor& tensor) {
  if (tensor.elements() == 0) return;
  const auto axis = static_cast<size_t>(of_.axis.value_or(0));
  const size_t channels = of_.axis ? static_cast<size_t>(tensor.shape.at(axis)) : 1;
  if (seen_.empty()) seen_.resize(channels);
  T2N_ASSERT(seen_.size() == channels, "a tensor of ", channels, " channels had ", seen_.size());
  size_t inner = 1;
  if (of_.axis)
    for (size_t i = axis + 1; i < tensor.shape.size(); ++i)
      inner *= static_cast<size_t>(tensor.shape[i]);
  std::vector<Range> batch(channels, {INFINITY, -INFINITY});
  for_each_part(tensor, [&](size_t first, std::span<const double> values) {
    for (size_t i = 0; i < values.size(); ++i) {
      if (!std::isfinite(values[i]))
        throw Error("calibration", "the calibration set gives NaN or infinities inside the model",
                    {}, "look for the sample that does, with `t2nnef run` on the float export");
      const size_t channel = of_.axis ? (first + i) / inner % channels : 0;
      batch[channel].low = std::min(batch[channel].low, values[i]);
      batch[channel].high = std::max(batch[channel].high, values[i]);
      if (counts(of_.grid.observer)) seen_[channel].histogram.add(values[i]);
    }
  });
  for (size_t c = 0; c < channels; ++c) {
    Seen& seen = seen_[c];
    const bool is_first = seen.batches == 0;
    const double step = is_first ? 1 : kMomentum;
    seen.low = is_first ? batch[c].low : std::min(seen.low, batch[c].low);
    seen.high = is_first ? batch[c].high : std::max(seen.high, batch[c].high);
    seen.average_low += step * (batch[c].low - seen.average_low);
    seen.average_high += step * (batch[c].high - seen.average_high);
    ++seen.batches;
  }
}

std::vector<Range> Statistics::ranges() const {
  std::vector<Range> out;
  for (const Seen& seen : seen_) out.push_back(range_of(seen, of_.grid));
  return out;
}

}  // namespace t2n::compress
