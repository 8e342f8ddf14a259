// SPDX-License-Identifier: Apache-2.0
#include "src/compress/calibrate/histogram.h"

#include <algorithm>
#include <cmath>

namespace t2n::compress {
namespace {

/// Enough to choose an 8-bit scale to one percent.
constexpr size_t kMostBins = 8192;
/// The first value's bin count: finer than any later width.
constexpr double kFirstBins = 65536;
/// Bin indices beyond this are not exact: neighbours are merged first.
constexpr double kMostIndex = 0x1.0p50;

}  // namespace

int64_t Histogram::bin_of(double value) const {
  return static_cast<int64_t>(std::floor(value / width_));
}

bool Histogram::is_outside(double value) const {
  if (counts_.empty()) return true;
  const double bin = std::floor(value / width_) - static_cast<double>(first_);
  return bin < 0 || bin >= static_cast<double>(counts_.size());
}

void Histogram::widen() {
  width_ *= 2;
  // Bin i becomes i / 2, rounded down; if the first bin has an odd index, one is added before it.
  const auto halved = [](int64_t at) { return at >= 0 ? at / 2 : (at - 1) / 2; };
  const int64_t first = halved(first_);
  std::vector<int64_t> merged(
      static_cast<size_t>(halved(first_ + static_cast<int64_t>(counts_.size()) - 1) - first + 1));
  for (size_t i = 0; i < counts_.size(); ++i)
    merged[halved(first_ + static_cast<int64_t>(i)) - first] += counts_[i];
  first_ = first;
  counts_ = std::move(merged);
}

void Histogram::make_room(double value) {
  if (counts_.empty()) {
    width_ = std::exp2(std::ceil(std::log2(std::abs(value) / kFirstBins)));
    first_ = bin_of(value);
    counts_.assign(1, 0);
  }
  while (std::abs(value / width_) > kMostIndex) widen();
  const auto needed_bins = [&] {
    const int64_t last = first_ + static_cast<int64_t>(counts_.size()) - 1;
    return std::max(last, bin_of(value)) - std::min(first_, bin_of(value)) + 1;
  };
  while (needed_bins() > static_cast<int64_t>(kMostBins)) widen();
  const int64_t bin = bin_of(value);
  if (bin < first_) {
    counts_.insert(counts_.begin(), static_cast<size_t>(first_ - bin), 0);
    first_ = bin;
  }
  const size_t needed = bin - first_ + 1;
  if (needed > counts_.size()) counts_.resize(needed, 0);
}

void Histogram::add(double value) {
  ++total_;
  if (value == 0) {
    ++zeros_;
    return;
  }
  if (is_outside(value)) make_room(value);
  ++counts_[bin_of(value) - first_];
}

double Histogram::centre(size_t bin) const {
  return (static_cast<double>(first_ + static_cast<int64_t>(bin)) + 0.5) * width_;
}

double Histogram::quantile(double share) const {
  double below = 0;
  bool has_zeros = false;
  const double target = share * total();
  for (size_t i = 0; i < counts_.size(); ++i) {
    if (!has_zeros && centre(i) > 0) {
      has_zeros = true;
      below += zeros();
      if (below >= target) return 0;
    }
    below += count(i);
    if (below >= target) return centre(i);
  }
  return counts_.empty() || centre(counts_.size() - 1) < 0 ? 0 : centre(counts_.size() - 1);
}

}  // namespace t2n::compress
