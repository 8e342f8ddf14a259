// SPDX-License-Identifier: Apache-2.0
// Computes the longest common subsequence of two similar lists.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace t2n::diff {

/// Pairs of positions with equal items, ascending on both sides (Myers 1986). None if the lists
/// differ in more than `most` items: time grows with their length times that number, memory with
/// its square.
std::vector<std::pair<size_t, size_t>> common_subsequence(std::span<const uint64_t> a,
                                                          std::span<const uint64_t> b, size_t most);

}  // namespace t2n::diff
