// SPDX-License-Identifier: Apache-2.0
#include "src/compress/round/tiles.h"

#include <array>
#include <cmath>

namespace t2n::compress {
namespace {

/// c -= a . b^T
void subtract_transposed(Tile<double> c, Tile<const double> a, Tile<const double> b) {
  std::array<double, kTile * kTile> transposed{};
  for (size_t i = 0; i < kTile; ++i)
    for (size_t j = 0; j < kTile; ++j) transposed[j * kTile + i] = b.row(i)[j];
  subtract_product(c, a, {transposed.data(), kTile});
}

bool factorise_tile(Tile<double> m) {
  for (size_t column = 0; column < kTile; ++column) {
    double* pivot = m.row(column);
    for (size_t k = 0; k < column; ++k) pivot[column] -= pivot[k] * pivot[k];
    if (!(pivot[column] > 0)) return false;
    pivot[column] = std::sqrt(pivot[column]);
    for (size_t i = column + 1; i < kTile; ++i) {
      double* row = m.row(i);
      for (size_t k = 0; k < column; ++k) row[column] -= row[k] * pivot[k];
      row[column] /= pivot[column];
    }
  }
  return true;
}

/// Replaces x by the solution y of y . l^T = x.
void solve_right(Tile<double> x, Tile<const double> l) {
  for (size_t i = 0; i < kTile; ++i) {
    double* row = x.row(i);
    for (size_t column = 0; column < kTile; ++column) {
      const double* pivot = l.row(column);
      for (size_t k = 0; k < column; ++k) row[column] -= row[k] * pivot[k];
      row[column] /= pivot[column];
    }
  }
}

/// Replaces x by the solution y of l . y = x.
void solve_left(Tile<double> x, Tile<const double> l) {
  for (size_t i = 0; i < kTile; ++i) {
    double* row = x.row(i);
    for (size_t k = 0; k < i; ++k) {
      const double factor = l.row(i)[k];
      const double* other = x.row(k);
      for (size_t j = 0; j < kTile; ++j) row[j] -= factor * other[j];
    }
    const double pivot = l.row(i)[i];
    for (size_t j = 0; j < kTile; ++j) row[j] /= pivot;
  }
}

}  // namespace

void subtract_product(Tile<double> c, Tile<const double> a, Tile<const double> b) {
  constexpr size_t kStep = 4;
  for (size_t i = 0; i < kTile; ++i) {
    double* out = c.row(i);
    for (size_t k = 0; k < kTile; k += kStep) {
      const double* factors = a.row(i) + k;
      const double *b0 = b.row(k), *b1 = b.row(k + 1), *b2 = b.row(k + 2), *b3 = b.row(k + 3);
      for (size_t j = 0; j < kTile; ++j)
        out[j] -= factors[0] * b0[j] + factors[1] * b1[j] + factors[2] * b2[j] + factors[3] * b3[j];
    }
  }
}

bool factorise(Square& m) {
  const size_t tiles = m.size / kTile;
  const Square& read = m;
  for (size_t k = 0; k < tiles; ++k) {
    for (size_t i = k; i < tiles; ++i)
      for (size_t j = 0; j < k; ++j)
        subtract_transposed(tile(m, i, k), tile(read, i, j), tile(read, k, j));
    if (!factorise_tile(tile(m, k, k))) return false;
    for (size_t i = k + 1; i < tiles; ++i) solve_right(tile(m, i, k), tile(read, k, k));
  }
  return true;
}

Square inverse_of_lower(const Square& m) {
  const size_t tiles = m.size / kTile;
  Square out(m.size);
  const Square& read = out;
  for (size_t j = 0; j < tiles; ++j) {
    for (size_t k = 0; k < kTile; ++k) out.at(j * kTile + k, j * kTile + k) = 1;
    solve_left(tile(out, j, j), tile(m, j, j));
    for (size_t i = j + 1; i < tiles; ++i) {
      for (size_t k = j; k < i; ++k)
        subtract_product(tile(out, i, j), tile(m, i, k), tile(read, k, j));
      solve_left(tile(out, i, j), tile(m, i, i));
    }
  }
  return out;
}

}  // namespace t2n::compress
