// SPDX-License-Identifier: Apache-2.0
// Measures, by element and over all input sets, how an output depends on its inputs.
#include <algorithm>
#include <cmath>
#include <limits>

#include "src/check/compare.h"

namespace t2n::check {

void Movement::see(const ir::Tensor& before, const ir::Tensor& after, const Tolerance& tolerance) {
  const std::vector<double> changes = excesses(before, after, tolerance);
  if (changes.empty()) all_ = true;  // another shape, or no elements
  changes_.resize(std::max(changes_.size(), changes.size()), 0);
  for (size_t i = 0; i < changes.size(); ++i)
    changes_[i] = std::max(changes_[i], static_cast<float>(changes[i]));
}

double Movement::share() const {
  if (all_) return 1;
  if (changes_.empty()) return 0;
  const auto moved = std::count_if(changes_.begin(), changes_.end(),
                                   [](float change) { return change >= kMinResponse; });
  return static_cast<double>(moved) / static_cast<double>(changes_.size());
}

double Movement::median() const {
  if (all_) return std::numeric_limits<double>::infinity();
  if (changes_.empty()) return 0;
  std::vector<float> sorted = changes_;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>((sorted.size() - 1) / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  return *middle;
}

double Movement::strongest() const {
  if (all_) return std::numeric_limits<double>::infinity();
  if (changes_.empty()) return 0;
  return *std::max_element(changes_.begin(), changes_.end());
}

}  // namespace t2n::check
