// SPDX-License-Identifier: Apache-2.0
// Computes how far each diagonal of the edit graph reaches with a growing number of differences,
// then backtracks from the end.
#include "src/diff/subsequence.h"

#include <algorithm>

namespace t2n::diff {
namespace {

using Length = std::ptrdiff_t;
using Reach = std::vector<Length>;  ///< positions in a, by diagonal -d, …, d

class Search {
 public:
  Search(std::span<const uint64_t> a, std::span<const uint64_t> b) : a_(a), b_(b) {}

  std::vector<std::pair<size_t, size_t>> run(size_t most) {
    for (size_t d = 0; d <= most; ++d)
      if (extend(static_cast<Length>(d))) return backtrack(static_cast<Length>(d));
    return {};
  }

 private:
  Length size_a() const { return static_cast<Length>(a_.size()); }
  Length size_b() const { return static_cast<Length>(b_.size()); }

  /// Whether diagonal `k` is reached with `d` differences from the one above, by an item of b.
  bool comes_from_above(Length d, Length k) const {
    const Reach& before = reaches_[d - 1];
    const auto at = [&](Length diagonal) { return before[diagonal + d - 1]; };
    return k == -d || (k != d && at(k - 1) < at(k + 1));
  }

  /// The position in a where the snake on diagonal `k` begins.
  Length start(Length d, Length k) const {
    if (d == 0) return 0;
    const Reach& before = reaches_[d - 1];
    return comes_from_above(d, k) ? before[k + d] : before[k + d - 2] + 1;
  }

  /// Allows one more difference; true once both ends are reached.
  bool extend(Length d) {
    Reach reach(static_cast<size_t>(2 * d + 1), -1);
    bool done = false;
    for (Length k = -d; k <= d; k += 2) {
      Length x = start(d, k);
      while (x < size_a() && x - k < size_b() && a_[x] == b_[x - k]) ++x;
      reach[k + d] = x;
      done |= x >= size_a() && x - k >= size_b();
    }
    reaches_.push_back(std::move(reach));
    return done;
  }

  std::vector<std::pair<size_t, size_t>> backtrack(Length d) const {
    std::vector<std::pair<size_t, size_t>> out;
    Length x = size_a();
    Length k = size_a() - size_b();
    for (; d >= 0; --d) {
      const Length begin = start(d, k);
      for (; x > begin; --x)
        out.emplace_back(static_cast<size_t>(x - 1), static_cast<size_t>(x - 1 - k));
      if (d == 0) break;
      const bool above = comes_from_above(d, k);
      k += above ? 1 : -1;
      x = above ? begin : begin - 1;
    }
    std::reverse(out.begin(), out.end());
    return out;
  }

  std::span<const uint64_t> a_;
  std::span<const uint64_t> b_;
  std::vector<Reach> reaches_;
};

}  // namespace

std::vector<std::pair<size_t, size_t>> common_subsequence(std::span<const uint64_t> a,
                                                          std::span<const uint64_t> b,
                                                          size_t most) {
  return Search(a, b).run(std::min(most, a.size() + b.size()));
}

}  // namespace t2n::diff
