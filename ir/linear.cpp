// SPDX-License-Identifier: Apache-2.0
// Fourier-Motzkin elimination, each inequality tightened to the next integer.
#include "ir/linear.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

#include "ir/shape.h"

namespace t2n::ir {
namespace {

/// For each vector of factors, without a common divisor, the smallest constant.
using System = std::map<std::vector<int64_t>, int64_t>;

/// False if the inequality can never hold.
bool add(System& system, Inequality row) {
  int64_t divisor = 0;
  for (const int64_t factor : row.factors) divisor = std::gcd(divisor, factor);
  if (divisor == 0) return row.constant >= 0;
  for (int64_t& factor : row.factors) factor /= divisor;
  const int64_t constant = floor_div_int(row.constant, divisor);
  const auto [found, is_new] = system.try_emplace(std::move(row.factors), constant);
  if (!is_new) found->second = std::min(found->second, constant);
  return true;
}

/// a*x + b*y; nothing on overflow, which only loses one consequence.
std::optional<int64_t> combined(int64_t a, int64_t x, int64_t b, int64_t y) {
  int64_t left = 0, right = 0, sum = 0;
  if (__builtin_mul_overflow(a, x, &left) || __builtin_mul_overflow(b, y, &right) ||
      __builtin_add_overflow(left, right, &sum) || sum == INT64_MIN)
    return std::nullopt;
  return sum;
}

using Row = System::value_type;

/// The consequence of both without the unknown `at`, whose factor is positive in one, negative in
/// the other.
std::optional<Inequality> without(size_t at, const Row& up, const Row& down) {
  const int64_t common = std::gcd(up.first[at], down.first[at]);
  const int64_t a = -(down.first[at] / common), b = up.first[at] / common;
  Inequality out;
  for (size_t i = 0; i < up.first.size(); ++i) {
    const auto factor = combined(a, up.first[i], b, down.first[i]);
    if (!factor) return std::nullopt;
    out.factors.push_back(*factor);
  }
  const auto constant = combined(a, up.second, b, down.second);
  if (!constant) return std::nullopt;
  out.constant = *constant;
  return out;
}

/// The unknown whose elimination produces the fewest inequalities, and their number; none if no
/// unknown remains.
std::optional<std::pair<size_t, size_t>> cheapest(const System& system) {
  std::optional<std::pair<size_t, size_t>> best;
  const size_t unknowns = system.empty() ? 0 : system.begin()->first.size();
  for (size_t at = 0; at < unknowns; ++at) {
    size_t up = 0, down = 0;
    for (const auto& [factors, constant] : system) {
      up += factors[at] > 0 ? 1 : 0;
      down += factors[at] < 0 ? 1 : 0;
    }
    if (up + down > 0 && (!best || up * down < best->second)) best = {at, up * down};
  }
  return best;
}

}  // namespace

bool is_contradiction(const std::vector<Inequality>& inequalities, int64_t& steps) {
  constexpr size_t kMaxRows = 600;
  System system;
  for (const Inequality& row : inequalities)
    if (!add(system, row)) return true;
  while (const auto next = cheapest(system)) {
    const auto width = static_cast<int64_t>(system.begin()->first.size());
    steps -= width * static_cast<int64_t>(system.size() + next->second);
    if (next->second > kMaxRows || steps < 0) return false;
    const size_t at = next->first;
    System rest;
    for (const Row& up : system) {
      if (up.first[at] == 0 && !add(rest, {up.first, up.second})) return true;
      if (up.first[at] <= 0) continue;
      for (const Row& down : system) {
        if (down.first[at] >= 0) continue;
        auto row = without(at, up, down);
        if (row && !add(rest, *std::move(row))) return true;
      }
    }
    system = std::move(rest);
  }
  return false;
}

}  // namespace t2n::ir
