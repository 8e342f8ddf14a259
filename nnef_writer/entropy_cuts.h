// SPDX-License-Identifier: Apache-2.0
// Finds boundaries between kinds of data in small files: text, 8-bit weights, floats.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace t2n::nnef {

/// Ascending offsets at which a new Huffman table saves more than it costs; for data so small that
/// tables matter. Depends on byte frequencies only, so equal data has equal cuts.
std::vector<size_t> entropy_cuts(std::span<const std::byte> data);

}  // namespace t2n::nnef
