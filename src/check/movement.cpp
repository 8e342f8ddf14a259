// Whether an output reacts to its inputs: for each element, over all sets of inputs.
#include <algorithm>
#include <cmath>
#include <limits>

#include "src/check/compare.h"

namespace t2n::check {

void Movement::see(const ir::Tensor& before, const ir::Tensor& after, const Tolerance& tolerance) {
  const std::vector<double> moves = excesses(before, after, tolerance);
  if (moves.empty()) all_ = true;  // another shape, or no elements
  moves_.resize(std::max(moves_.size(), moves.size()), 0);
  for (size_t i = 0; i < moves.size(); ++i)
    moves_[i] = std::max(moves_[i], static_cast<float>(moves[i]));
}

double Movement::share() const {
  if (all_) return 1;
  if (moves_.empty()) return 0;
  const auto moved =
      std::count_if(moves_.begin(), moves_.end(), [](float move) { return move >= kMinResponse; });
  return static_cast<double>(moved) / static_cast<double>(moves_.size());
}

double Movement::median() const {
  if (all_) return std::numeric_limits<double>::infinity();
  if (moves_.empty()) return 0;
  std::vector<float> sorted = moves_;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>((sorted.size() - 1) / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  return *middle;
}

double Movement::strongest() const {
  if (all_) return std::numeric_limits<double>::infinity();
  if (moves_.empty()) return 0;
  return *std::max_element(moves_.begin(), moves_.end());
}

}  // namespace t2n::check
