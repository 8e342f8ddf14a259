// SPDX-License-Identifier: Apache-2.0
#include "nnef_writer/entropy_cuts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace t2n::nnef {
namespace {

constexpr size_t kPiece = 128;
constexpr double kTableBits = 8 * 60;  ///< the header of a dynamic deflate block

/// A run of pieces, with its byte frequencies.
struct Run {
  size_t begin = 0;
  std::array<uint32_t, 256> counts{};
  double bits = 0;
};

/// The size in an ideal code for these frequencies.
double bits_of(const std::array<uint32_t, 256>& counts) {
  double all = 0;
  double sum = 0;
  for (const uint32_t count : counts) {
    if (count == 0) continue;
    all += count;
    sum += count * std::log2(static_cast<double>(count));
  }
  return all > 0 ? all * std::log2(all) - sum : 0;
}

Run merged(const Run& a, const Run& b) {
  Run out = a;
  for (size_t i = 0; i < out.counts.size(); ++i) out.counts[i] += b.counts[i];
  out.bits = bits_of(out.counts);
  return out;
}

}  // namespace

std::vector<size_t> entropy_cuts(std::span<const std::byte> data) {
  std::vector<Run> runs;
  for (size_t at = 0; at < data.size(); at += kPiece) {
    Run run{.begin = at};
    for (const std::byte byte : data.subspan(at, std::min(kPiece, data.size() - at)))
      ++run.counts[static_cast<size_t>(byte)];
    run.bits = bits_of(run.counts);
    runs.push_back(run);
  }
  // Merges the neighbours with the smallest cost of a common table, while that is less than the
  // cost of a table.
  std::vector<double> costs;
  const auto cost = [&](size_t i) {
    return merged(runs[i], runs[i + 1]).bits - runs[i].bits - runs[i + 1].bits;
  };
  for (size_t i = 0; i + 1 < runs.size(); ++i) costs.push_back(cost(i));
  while (!costs.empty()) {
    const auto least = std::min_element(costs.begin(), costs.end());
    if (*least >= kTableBits) break;
    const auto at = least - costs.begin();
    runs[at] = merged(runs[at], runs[at + 1]);
    runs.erase(runs.begin() + at + 1);
    costs.erase(least);
    const size_t i = at;
    if (i < costs.size()) costs[i] = cost(i);
    if (i > 0) costs[i - 1] = cost(i - 1);
  }
  std::vector<size_t> out;
  for (size_t i = 1; i < runs.size(); ++i) out.push_back(runs[i].begin);
  return out;
}

}  // namespace t2n::nnef
