// SPDX-License-Identifier: Apache-2.0
// Rounding that makes up for itself changes outputs less than rounding to the nearest does.
#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <vector>

#include "src/compress/round/gptq.h"
#include "src/compress/round/tiles.h"

namespace t2n::compress {
namespace {

using ir::DType;
using Reals = std::vector<double>;

Reals normal(size_t count, unsigned seed) {
  std::mt19937 generator(seed);
  Reals out(count);
  // Sums of uniform numbers: the standard's normal distribution differs between libraries.
  for (double& value : out) {
    double sum = 0;
    for (int i = 0; i < 12; ++i) sum += static_cast<double>(generator()) / 4294967296.0;
    value = sum - 6;
  }
  return out;
}

/// Inputs [rows, columns] of which neighbours are alike, as activations are.
Reals correlated(size_t rows, size_t columns, unsigned seed) {
  const Reals noise = normal(rows * columns, seed), common = normal(rows * 4, seed + 1);
  Reals out(rows * columns);
  for (size_t i = 0; i < rows; ++i)
    for (size_t j = 0; j < columns; ++j)
      out[i * columns + j] = 0.3 * noise[i * columns + j] + common[i * 4 + j % 4] +
                             (j > 0 ? 0.6 * out[i * columns + j - 1] : 0);
  return out;
}

Reals moments_of(const Reals& x, size_t columns) {
  Reals out(columns * columns);
  for (size_t row = 0; row < x.size() / columns; ++row)
    for (size_t i = 0; i < columns; ++i)
      for (size_t j = 0; j < columns; ++j)
        out[i * columns + j] += x[row * columns + i] * x[row * columns + j];
  return out;
}

ir::Tensor matrix(size_t rows, size_t columns, const Reals& values) {
  return ir::tensor_of(DType::f32, {static_cast<int64_t>(rows), static_cast<int64_t>(columns)},
                       values);
}

/// trace((W - Q) H (W - Q)^T): the squared change of all outputs.
double change(const ir::Tensor& weight, const Reals& rounded, const Reals& moments) {
  const Reals before = ir::to_f64(weight);
  const auto columns = static_cast<size_t>(weight.shape[1]);
  double sum = 0;
  for (size_t row = 0; row < before.size() / columns; ++row)
    for (size_t i = 0; i < columns; ++i) {
      double inner = 0;
      for (size_t j = 0; j < columns; ++j)
        inner +=
            moments[i * columns + j] * (before[row * columns + j] - rounded[row * columns + j]);
      sum += inner * (before[row * columns + i] - rounded[row * columns + i]);
    }
  return sum;
}

struct Layer {
  size_t rows, columns;
  ir::Tensor weight = matrix(rows, columns, normal(rows* columns, 1));
  Reals inputs = correlated(4 * columns, columns, 2);
  Reals moments = moments_of(inputs, columns);
};

IntegerQParams qparams_of(const ir::Tensor& weight, int bits) {
  IntegerQParams qparams;
  qparams.highest = (int64_t{1} << (bits - 1)) - 1;
  qparams.lowest = -qparams.highest - 1;
  const Reals values = ir::to_f64(weight);
  const auto columns = static_cast<size_t>(weight.shape[1]);
  for (size_t row = 0; row < values.size() / columns; ++row) {
    double largest = 0;
    for (size_t i = 0; i < columns; ++i)
      largest = std::max(largest, std::abs(values[row * columns + i]));
    qparams.scales.push_back(largest / static_cast<double>(qparams.highest));
    qparams.zero_points.push_back(0);
  }
  return qparams;
}

/// Reals of integers of the grid.
Reals reals(const ir::Tensor& integers, const IntegerQParams& qparams) {
  Reals out = ir::to_f64(integers);
  const auto columns = static_cast<size_t>(integers.shape[1]);
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = (out[i] - static_cast<double>(qparams.zero_points[i / columns])) *
             qparams.scales[i / columns];
  return out;
}

Reals rounded_to_nearest(const ir::Tensor& weight, const IntegerQParams& qparams) {
  Reals out = ir::to_f64(weight);
  const auto columns = static_cast<size_t>(weight.shape[1]);
  for (size_t i = 0; i < out.size(); ++i) {
    const double code = std::nearbyint(out[i] / qparams.scales[i / columns]);
    out[i] = std::clamp(code, static_cast<double>(qparams.lowest),
                        static_cast<double>(qparams.highest)) *
             qparams.scales[i / columns];
  }
  return out;
}

Reals values_of(const Packed& packed, const ir::Tensor& weight) {
  REQUIRE(packed.problem == "");
  return ir::to_f64(decode_q4_0(packed.blocks, weight.shape, DType::f32));
}

TEST_CASE("outputs change less than half as much as with the nearest integers") {
  for (const Layer& layer : {Layer{70, 96}, Layer{3, 130}})
    for (const int bits : {8, 4}) {
      const IntegerQParams qparams = qparams_of(layer.weight, bits);
      const double before =
          change(layer.weight, rounded_to_nearest(layer.weight, qparams), layer.moments);
      for (const bool largest_first : {false, true}) {
        const ir::Tensor integers = compensated_integers(layer.weight, layer.moments, qparams,
                                                         {.largest_first = largest_first});
        CHECK(integers.dtype == DType::i8);
        const double after = change(layer.weight, reals(integers, qparams), layer.moments);
        CAPTURE(after / before);
        CHECK(after < before / 2);
      }
    }
}

TEST_CASE("Q4_0 outputs change less than half as much as with the nearest codes") {
  for (const Layer& layer : {Layer{70, 96}, Layer{3, 160}})
    for (const Q4Scale rule : {Q4Scale::largest, Q4Scale::least_error}) {
      const Reals plain = values_of(encode_q4_0(layer.weight, rule), layer.weight);
      const double before = change(layer.weight, plain, layer.moments);
      for (const bool largest_first : {false, true}) {
        const Packed packed =
            compensated_q4_0(layer.weight, layer.moments, rule, {.largest_first = largest_first});
        const double after = change(layer.weight, values_of(packed, layer.weight), layer.moments);
        CAPTURE(after / before);
        CHECK(after < before / 2);
      }
    }
}

TEST_CASE("each group of rows is rounded by the inputs of its own") {
  const Layer first{6, 32};
  Layer second{6, 32};
  second.inputs = correlated(128, 32, 9);
  second.moments = moments_of(second.inputs, 32);
  Reals values = ir::to_f64(first.weight), moments = first.moments;
  const Reals more = normal(6 * 32, 7);
  values.insert(values.end(), more.begin(), more.end());
  moments.insert(moments.end(), second.moments.begin(), second.moments.end());
  second.weight = matrix(6, 32, more);
  const ir::Tensor both = matrix(12, 32, values);
  const IntegerQParams qparams = qparams_of(both, 3);
  const Reals rounded = reals(compensated_integers(both, moments, qparams), qparams);
  const IntegerQParams of_first = qparams_of(first.weight, 3),
                       of_second = qparams_of(second.weight, 3);
  Reals apart = reals(compensated_integers(first.weight, first.moments, of_first), of_first);
  const Reals rest =
      reals(compensated_integers(second.weight, second.moments, of_second), of_second);
  apart.insert(apart.end(), rest.begin(), rest.end());
  CHECK(rounded == apart);
  const Packed packed = compensated_q4_0(both, moments, Q4Scale::largest);
  Reals blocks =
      values_of(compensated_q4_0(first.weight, first.moments, Q4Scale::largest), first.weight);
  const Reals last =
      values_of(compensated_q4_0(second.weight, second.moments, Q4Scale::largest), second.weight);
  blocks.insert(blocks.end(), last.begin(), last.end());
  CHECK(values_of(packed, both) == blocks);
}

TEST_CASE("uncorrelated inputs leave nothing to compensate") {
  const Layer layer{8, 64};
  Reals identity(64 * 64);
  for (size_t i = 0; i < 64; ++i) identity[i * 65] = 5;
  const IntegerQParams qparams = qparams_of(layer.weight, 4);
  const ir::Tensor integers = compensated_integers(layer.weight, identity, qparams);
  CHECK(reals(integers, qparams) == rounded_to_nearest(layer.weight, qparams));
  const Packed packed = compensated_q4_0(layer.weight, identity, Q4Scale::largest);
  CHECK(ir::same_values(packed.blocks, encode_q4_0(layer.weight, Q4Scale::largest).blocks));
}

TEST_CASE("inputs that are never seen, and moments without an inverse") {
  Layer layer{8, 64};
  for (size_t i = 0; i < layer.inputs.size(); ++i) {
    if (i % 64 == 7) layer.inputs[i] = 0;
    if (i % 64 == 9) layer.inputs[i] = layer.inputs[i - 1];  // the same as its neighbour
  }
  layer.inputs.resize(10 * 64);  // fewer rows than columns
  layer.moments = moments_of(layer.inputs, 64);
  const IntegerQParams qparams = qparams_of(layer.weight, 4);
  const Reals plain = rounded_to_nearest(layer.weight, qparams);
  const Reals rounded = reals(compensated_integers(layer.weight, layer.moments, qparams), qparams);
  CHECK(change(layer.weight, rounded, layer.moments) <
        change(layer.weight, plain, layer.moments) / 2);
  for (size_t row = 0; row < 8; ++row) CHECK(rounded[row * 64 + 7] == plain[row * 64 + 7]);
  const Reals nothing(64 * 64);
  CHECK(reals(compensated_integers(layer.weight, nothing, qparams), qparams) == plain);
}

TEST_CASE("values on the grid stay unchanged") {
  const Layer layer{8, 96};
  const IntegerQParams qparams = qparams_of(layer.weight, 8);
  const ir::Tensor on_grid = matrix(8, 96, rounded_to_nearest(layer.weight, qparams));
  const Reals again = reals(compensated_integers(on_grid, layer.moments, qparams), qparams);
  CHECK(change(on_grid, again, layer.moments) < 1e-6);
  const Packed packed = encode_q4_0(layer.weight, Q4Scale::largest);
  const ir::Tensor floats = decode_q4_0(packed.blocks, layer.weight.shape, DType::f32);
  const Packed twice = compensated_q4_0(floats, layer.moments, Q4Scale::largest);
  CHECK(ir::same_values(twice.blocks, packed.blocks));
  CHECK(twice.squared_error == 0);
}

TEST_CASE("zero points, unsigned integers and one scale for all rows") {
  const Layer layer{5, 64};
  IntegerQParams qparams{.scales = {0.05}, .zero_points = {120}, .lowest = 0, .highest = 255};
  const ir::Tensor integers = compensated_integers(layer.weight, layer.moments, qparams);
  CHECK(integers.dtype == DType::u8);
  const Reals codes = ir::to_f64(integers), before = ir::to_f64(layer.weight);
  for (size_t i = 0; i < codes.size(); ++i)
    CHECK(std::abs((codes[i] - 120) * 0.05 - before[i]) < 1);
}

TEST_CASE("weights that were pruned stay zeros") {
  const Layer layer{8, 64};
  Reals values = ir::to_f64(layer.weight);
  for (size_t i = 0; i < values.size(); i += 3) values[i] = 0;
  const ir::Tensor pruned = matrix(8, 64, values);
  IntegerQParams qparams = qparams_of(pruned, 4);
  qparams.zero_points.assign(8, 1);
  const Reals rounded = reals(compensated_integers(pruned, layer.moments, qparams), qparams);
  const Packed packed = compensated_q4_0(pruned, layer.moments, Q4Scale::largest);
  const Reals unpacked = ir::to_f64(decode_q4_0(packed.blocks, pruned.shape, DType::f32));
  for (size_t i = 0; i < values.size(); i += 3) {
    CHECK(rounded[i] == 0);
    CHECK(unpacked[i] == 0);
  }
  CHECK(change(pruned, unpacked, layer.moments) <
        change(pruned, rounded_to_nearest(pruned, qparams_of(pruned, 4)), layer.moments));
}

TEST_CASE("weights that Q4_0 cannot hold") {
  Layer layer{2, 32};
  Reals values = ir::to_f64(layer.weight);
  values[3] = std::nan("");
  CHECK(compensated_q4_0(matrix(2, 32, values), layer.moments, Q4Scale::largest).problem ==
        kQ4NotFinite);
  values[3] = 1e6;
  CHECK(compensated_q4_0(matrix(2, 32, values), layer.moments, Q4Scale::largest).problem ==
        kQ4TooLarge);
}

TEST_CASE("the triangle of a matrix and its inverse") {
  const size_t size = 3 * kTile;
  const Reals x = normal(2 * size * size, 5);
  Square m(size);
  m.values = moments_of(x, size);
  const Square before = m;
  REQUIRE(factorise(m));
  const Square inverse = inverse_of_lower(m);
  for (size_t i = 0; i < size; i += 37)
    for (size_t j = 0; j <= i; j += 11) {
      double product = 0, unit = 0;
      for (size_t k = 0; k <= j; ++k) product += m.at(i, k) * m.at(j, k);
      for (size_t k = j; k <= i; ++k) unit += m.at(i, k) * inverse.at(k, j);
      CHECK(product == doctest::Approx(before.at(i, j)));
      CHECK(unit == doctest::Approx(i == j ? 1.0 : 0.0));
    }
  Square negative(kTile);
  CHECK(!factorise(negative));
}

}  // namespace
}  // namespace t2n::compress
