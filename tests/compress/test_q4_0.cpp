// SPDX-License-Identifier: Apache-2.0
// Blocks of Q4_0: their bytes, their errors, and what they cannot hold.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "nnef_writer/dat.h"
#include "src/compress/round/q4_0.h"
#include "src/nnef/dat.h"

namespace t2n::compress {
namespace {

using ir::DType;
using ir::Ints;
using ir::Tensor;
using Reals = std::vector<double>;

constexpr Q4Scale kRules[] = {Q4Scale::largest, Q4Scale::least_error};

Tensor bell(const Ints& shape, unsigned seed, double scale = 1) {
  std::mt19937 generator(seed);
  Reals out(static_cast<size_t>(ir::element_count(shape)));
  for (double& value : out) {
    double sum = 0;
    for (int i = 0; i < 12; ++i) sum += static_cast<double>(generator()) / 4294967296.0;
    value = scale * (sum - 6);
  }
  return ir::tensor_of(DType::f32, shape, out);
}

Tensor block_of(Reals values) {
  values.resize(32);
  return ir::tensor_of(DType::f32, {1, 32}, values);
}

Reals decoded(const Packed& packed, const Ints& shape) {
  REQUIRE(packed.problem == "");
  return ir::to_f64(decode_q4_0(packed.blocks, shape, DType::f32));
}

TEST_CASE("a block byte for byte, as GGUF has it") {
  Reals values;
  for (int i = 0; i < 32; ++i) values.push_back((i % 16 - 8) * 0.5);
  for (const Q4Scale rule : kRules) {
    const Packed packed = encode_q4_0(block_of(values), rule);
    CHECK(packed.blocks.shape == Ints{1, 18});
    CHECK(packed.squared_error == 0);
    const std::vector<int64_t> bytes = ir::to_i64(packed.blocks);
    CHECK(bytes[0] == 0x00);
    CHECK(bytes[1] == 0x38);  // 0.5
    for (size_t i = 0; i < 16; ++i) CHECK(bytes[2 + i] == static_cast<int64_t>(i | i << 4U));
    CHECK(decoded(packed, {1, 32}) == values);
  }
}

TEST_CASE("the largest value is exact, others are within half a step, or one at the short end") {
  const Tensor weight = bell({16, 96}, 1);
  const Packed packed = encode_q4_0(weight, Q4Scale::largest);
  const Reals before = ir::to_f64(weight), after = decoded(packed, weight.shape);
  double sum = 0;
  for (size_t block = 0; block < before.size(); block += 32) {
    double largest = 0;
    for (size_t i = block; i < block + 32; ++i) largest = std::max(largest, std::abs(before[i]));
    for (size_t i = block; i < block + 32; ++i) {
      const double error = std::abs(before[i] - after[i]);
      CHECK(error <= largest / 8 * (std::abs(before[i]) > largest * 0.93 ? 1.002 : 0.502));
      sum += error * error;
    }
  }
  CHECK(packed.squared_error == doctest::Approx(sum));
}

TEST_CASE("a search leaves less error: never more in a block, a tenth less of many") {
  const Tensor weight = bell({64, 128}, 2);
  const Reals before = ir::to_f64(weight);
  const Packed plain = encode_q4_0(weight, Q4Scale::largest),
               searched = encode_q4_0(weight, Q4Scale::least_error);
  const Reals first = decoded(plain, weight.shape), second = decoded(searched, weight.shape);
  for (size_t block = 0; block < before.size(); block += 32) {
    double sum = 0, less = 0;
    for (size_t i = block; i < block + 32; ++i) {
      sum += (before[i] - first[i]) * (before[i] - first[i]);
      less += (before[i] - second[i]) * (before[i] - second[i]);
    }
    CHECK(less <= sum);
  }
  CAPTURE(searched.squared_error / plain.squared_error);
  CHECK(searched.squared_error < 0.9 * plain.squared_error);
}

TEST_CASE("zeros, and one value among them") {
  for (const Q4Scale rule : kRules) {
    CHECK(decoded(encode_q4_0(block_of({}), rule), {1, 32}) == Reals(32, 0));
    for (const double value : {3.0, -3.0, 524032.0, -524032.0, 1e-5}) {
      Reals one = {0, 0, value};
      one.resize(32);
      const Reals out = decoded(encode_q4_0(block_of(one), rule), {1, 32});
      CHECK(out[2] == doctest::Approx(value).epsilon(0.03));
      CHECK(out[1] == 0);
    }
  }
}

TEST_CASE("scales below the normal half floats are off by their own steps at most") {
  for (const Q4Scale rule : kRules)
    for (const double size : {1e-4, 1e-6, 1e-7, 1e-8, 1e-30}) {
      const Tensor weight = bell({2, 32}, 3, size);
      const Reals before = ir::to_f64(weight), after = decoded(encode_q4_0(weight, rule), {2, 32});
      for (size_t i = 0; i < before.size(); ++i) {
        const double steps = 8 * std::ldexp(1.0, -24);
        CHECK(std::abs(before[i] - after[i]) <= std::abs(before[i]) / 7 + size * 0.3 + steps);
      }
    }
}

TEST_CASE("values that no block can hold are reported, and nothing is encoded") {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const Q4Scale rule : kRules) {
    for (const double value : {std::nan(""), kInfinity, -kInfinity}) {
      const Packed packed = encode_q4_0(block_of({1, value}), rule);
      CHECK(packed.problem == kQ4NotFinite);
      CHECK(packed.blocks.bytes.empty());
    }
    CHECK(encode_q4_0(block_of({1, 6e5}), rule).problem == kQ4TooLarge);
    CHECK(encode_q4_0(block_of({1, -6e5}), rule).problem == kQ4TooLarge);
    CHECK(encode_q4_0(block_of({1, 5.2e5}), rule).problem == "");
  }
}

TEST_CASE("which shapes fit") {
  CHECK(fits_q4_0({3, 32}));
  CHECK(fits_q4_0({3, 4, 2, 4}));
  CHECK(!fits_q4_0({32}));
  CHECK(!fits_q4_0({}));
  CHECK(!fits_q4_0({32, 3}));
  CHECK(!fits_q4_0({0, 32}));
  CHECK(packed_shape({3, 4, 2, 8}) == Ints{3, 36});
}

TEST_CASE("weights of any geometry and precision") {
  const Tensor weight = bell({32, 64}, 4);
  Tensor turned = weight;
  std::swap(turned.shape[0], turned.shape[1]);
  std::swap(turned.strides[0], turned.strides[1]);
  CHECK(ir::same_values(encode_q4_0(turned, Q4Scale::largest).blocks,
                        encode_q4_0(ir::contiguous(turned), Q4Scale::largest).blocks));
  const Packed packed = encode_q4_0(weight, Q4Scale::largest);
  const Reals exact = decoded(packed, {32, 64});
  CHECK(ir::to_f64(decode_q4_0(packed.blocks, {32, 4, 16}, DType::f64)) == exact);
  const Tensor half = decode_q4_0(packed.blocks, {32, 64}, DType::f16);
  for (int64_t i = 0; i < half.elements(); ++i)
    CHECK(ir::element_f64(half, i) ==
          doctest::Approx(exact[static_cast<size_t>(i)]).epsilon(0x1p-11));
  CHECK(encode_q4_0(half, Q4Scale::largest).squared_error < 1e-3);
}

TEST_CASE("a file of blocks is read as the values that they represent") {
  const Tensor weight = bell({3, 4, 16}, 5);
  const Packed packed = encode_q4_0(weight, Q4Scale::largest);
  const nnef::Blob blob = {.label = "w",
                           .dtype = DType::f32,
                           .shape = weight.shape,
                           .parts = {packed.blocks},
                           .q4_0 = true};
  std::vector<std::byte> file;
  nnef::write_dat(blob, [&](std::span<const std::byte> bytes) {
    file.insert(file.end(), bytes.begin(), bytes.end());
  });
  CHECK(file.size() == 128 + 3 * 2 * 18);
  CHECK(nnef::dat_size(blob) == static_cast<int64_t>(file.size()));
  const nnef::StoredTensor stored = nnef::read_stored({file, nullptr}, "w.dat");
  CHECK(stored.item == "q4_0");
  CHECK(ir::same_values(stored.values, decode_q4_0(packed.blocks, weight.shape, DType::f32)));
}

}  // namespace
}  // namespace t2n::compress
