// Square matrices in tiles of 64 x 64, so that what is multiplied stays in the cache.
#pragma once

#include <cstddef>
#include <vector>

namespace t2n::compress {

inline constexpr size_t kTile = 64;

/// How many columns of whole tiles `columns` take.
constexpr size_t whole_tiles(size_t columns) { return (columns + kTile - 1) / kTile * kTile; }

/// Row by row, of whole tiles.
struct Square {
  explicit Square(size_t size_in) : size(size_in), values(size_in * size_in) {}
  double& at(size_t row, size_t column) { return values[row * size + column]; }
  double at(size_t row, size_t column) const { return values[row * size + column]; }

  size_t size;
  std::vector<double> values;
};

/// A tile inside of something larger: its first element, and how far apart rows are.
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

/// The lower triangle L of m = L . L^T in its place, what is above it as it was. False where `m` is
/// not positive definite.
bool factorise(Square& m);
/// The inverse of a lower triangle, with zeros above.
Square inverse_of_lower(const Square& m);

}  // namespace t2n::compress
