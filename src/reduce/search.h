// SPDX-License-Identifier: Apache-2.0
// Searches the smallest part of a model that still fails, within a time.
#pragma once

#include <chrono>
#include <functional>
#include <set>
#include <string>

#include "src/reduce/failure.h"

namespace t2n::reduce {

/// Tries parts, counts them, and knows when the time is over.
class Search {
 public:
  Search(double seconds, std::function<void(const std::string&)> say);

  /// The smallest part by operations, then by the sizes of inputs and weights.
  Part smallest(const Failing& failing);

  size_t candidates() const { return candidates_; }
  double seconds() const;
  bool is_over() const { return seconds() > limit_; }

 private:
  Part fewest_nodes(const Failing& failing, const Subject& subject);
  Part unrolled(const Failing& failing, Part part);
  Part fewest_outputs(const Failing& failing, Part part);
  Part smallest_sizes(const Failing& failing, Part part);
  bool fails(const Failing& failing, const Part& part);
  void report(const std::string& text) const;

  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  double limit_;
  std::function<void(const std::string&)> say_;
  size_t candidates_ = 0;
};

}  // namespace t2n::reduce
