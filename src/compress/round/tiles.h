// SPDX-License-Identifier: Apache-2.0
// Square matrices in tiles of 64 x 64, so that products stay in the cache.
#pragma once

#include <cstddef>
#include <vector>

namespace t2n::compress {

inline constexpr size_t kTile = 64;

/// `columns`, rounded up to full tiles.
constexpr size_t padded_to_tiles(size_t columns) { return (columns + kTile - 1) / kTile * kTile; }

/// Row by row, in full tiles.
struct Square {
  explicit Square(size_t size_in) : size(size_in), values(size_in * size_in) {}
  double& at(size_t row, size_t column) { return values[row * size + column]; }
  double at(size_t row, size_t column) const { return values[row * size + column]; }

  size_t size;
  std::vector<double> values;
};

/// A tile inside a larger matrix: its first element, and the row stride.
template <typename T>
struct Tile {
  T* first;
  size_t stride;
  T* row(size_t index) const { return first + index * stride; }
};
inline Tile<double> tile(Square& m, size_t row, size_t column) {
  return {&m.at(row * kTile, column * kTile), m.size};
}
inline Tile<const double> tile(const Square& m, size_t row, size_t column) {
  return {&m.values[row * kTile * m.size + column * kTile], m.size};
}

/// c -= a . b
void subtract_product(Tile<double> c, Tile<const double> a, Tile<const double> b);

/// Replaces m by the lower triangle L of m = L . L^T; elements above it are unchanged. False if `m`
/// is not positive definite.
bool factorise(Square& m);
/// The inverse of a lower triangle, with zeros above.
Square inverse_of_lower(const Square& m);

}  // namespace t2n::compress
