// Where small data changes its kind: text, weights of 8 bits, floats.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace t2n::nnef {

/// Offsets at which a new Huffman table saves more than it takes, in ascending order; for data that
/// is small enough for tables to count. By frequencies of bytes alone, so that the same data is
/// always cut in the same places.
std::vector<size_t> entropy_cuts(std::span<const std::byte> data);

}  // namespace t2n::nnef
