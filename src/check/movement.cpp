// Whether an output reacts to its inputs: for each element, over all sets of inputs.
#include <algorithm>
#include <cmath>
#include <limits>

#include "src/check/compare.h"

namespace t2n::check {

void Movement::see(const ir::Tensor& before, const ir::Tensor& after, const Tolerance& tolerance) {
  const std::vector<double> moves = excesses(before, after, tolerance);
  if (moves.empty()) all_ = true;  // another shape, or no elements
  container_operations_.resize(std::max(container_operations_.size(), moves.size()), 0);
  for (size_t i = 0; i < moves.size(); ++i)
    container_operations_[i] = std::max(container_operations_[i], static_cast<float>(moves[i]));
}

double Movement::share() const {
  if (all_) return 1;
  if (container_operations_.empty()) return 0;
  const auto moved = std::count_if(container_operations_.begin(), container_operations_.end(),
                                   [](float move) { return move >= kMinResponse; });
  return static_cast<double>(moved) / static_cast<double>(container_operations_.size());
}

double Movement::median() const {
  if (all_) return std::numeric_limits<double>::infinity();
  if (container_operations_.empty()) return 0;
  std::vector<float> sorted = container_operations_;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>((sorted.size() - 1) / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  return *middle;
}

double Movement::strongest() const {
  if (all_) return std::numeric_limits<double>::infinity();
  if (container_operations_.empty()) return 0;
  return *std::max_element(container_operations_.begin(), container_operations_.end());
}

}  // namespace t2n::check
