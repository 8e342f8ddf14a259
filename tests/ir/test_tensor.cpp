// SPDX-License-Identifier: Apache-2.0
// Tensors: element access, copies and streaming for any strides, conversions between dtypes.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "ir/cast.h"
#include "ir/tensor.h"
#include "src/diag/error.h"

namespace t2n::ir {
namespace {

/// 0, 1, 2… in row-major order.
Tensor counting(const Ints& shape, DType dtype = DType::i32) {
  std::vector<int64_t> values(static_cast<size_t>(element_count(shape)));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int64_t>(i);
  return tensor_of(dtype, shape, values);
}

Tensor with_geometry(Tensor tensor, Ints shape, Ints strides, int64_t first = 0) {
  tensor.shape = std::move(shape);
  tensor.strides = std::move(strides);
  tensor.bytes = tensor.bytes.subspan(static_cast<size_t>(first * dtype_size(tensor.dtype)));
  return tensor;
}

std::vector<std::byte> streamed(const Tensor& tensor, size_t chunk) {
  std::vector<std::byte> out;
  for_each_chunk(tensor, chunk, [&](std::span<const std::byte> bytes) {
    CHECK(bytes.size() > 0);
    CHECK(bytes.size() <= std::max(chunk, static_cast<size_t>(dtype_size(tensor.dtype))));
    out.insert(out.end(), bytes.begin(), bytes.end());
  });
  return out;
}

constexpr DType kReal[] = {DType::u8,  DType::u16, DType::u32, DType::u64,  DType::i8,  DType::i16,
                           DType::i32, DType::i64, DType::f16, DType::bf16, DType::f32, DType::f64};

TEST_CASE("values convert to every dtype and back") {
  for (const DType dtype : kReal) {
    CAPTURE(dtype_name(dtype));
    const Tensor tensor = tensor_of<int64_t>(dtype, {2, 2}, {0, 1, 2, 127});
    CHECK(to_i64(tensor) == std::vector<int64_t>{0, 1, 2, 127});
    CHECK(to_f64(tensor) == std::vector<double>{0, 1, 2, 127});
    CHECK(element_f64(tensor, 3) == 127);
    CHECK(element_i64(tensor, 2) == 2);
  }
  CHECK(to_i64(tensor_of<uint8_t>(DType::boolean, {3}, {0, 1, 7})) ==
        std::vector<int64_t>{0, 1, 1});
}

TEST_CASE("scalars have rank 0 and one element") {
  const Tensor tensor = scalar_tensor(2.5, DType::f32);
  CHECK(tensor.shape.empty());
  CHECK(tensor.elements() == 1);
  CHECK(is_contiguous(tensor));
  CHECK(element_f64(tensor, 0) == 2.5);
  CHECK(element_i64(scalar_tensor(int64_t{1} << 62, DType::i64), 0) == int64_t{1} << 62);
}

TEST_CASE("elements are addressed in row-major order whatever the strides") {
  const Tensor transposed = with_geometry(counting({2, 3}), {3, 2}, {1, 3});
  CHECK_FALSE(is_contiguous(transposed));
  CHECK(to_i64(transposed) == std::vector<int64_t>{0, 3, 1, 4, 2, 5});
  CHECK(element_i64(transposed, 3) == 4);
  CHECK(to_i64(with_geometry(counting({4}), {2, 2}, {0, 1}, 1)) ==
        std::vector<int64_t>{1, 2, 1, 2});
  CHECK_THROWS_AS(element_i64(transposed, 6), Error);
}

TEST_CASE("contiguity ignores axes of size 1 and empty tensors") {
  CHECK(is_contiguous(with_geometry(counting({6}), {1, 6, 1}, {99, 1, 7})));
  CHECK(is_contiguous(with_geometry(counting({0}), {3, 0}, {5, 5})));
  CHECK_FALSE(is_contiguous(with_geometry(counting({6}), {3}, {2})));
}

TEST_CASE("contiguous copies only what it must") {
  const Tensor rows = counting({2, 3});
  CHECK(contiguous(rows).bytes.data() == rows.bytes.data());
  const Tensor copy = contiguous(with_geometry(rows, {3, 2}, {1, 3}));
  CHECK(copy.strides == Ints{2, 1});
  CHECK(to_i64(copy) == std::vector<int64_t>{0, 3, 1, 4, 2, 5});
}

TEST_CASE("streaming equals a row-major copy for every chunk size") {
  const Tensor base = counting({4, 3, 5}, DType::i16);
  const Tensor views[] = {
      base, with_geometry(base, {5, 4, 3}, {1, 15, 5}), with_geometry(base, {4, 5}, {15, 1}, 5),
      with_geometry(base, {2, 3, 2}, {30, 5, 2}, 1), with_geometry(base, {3, 4}, {0, 1})};
  for (const Tensor& view : views)
    for (const size_t chunk : {1, 2, 6, 7, 64, 4096}) {
      CAPTURE(chunk);
      const Tensor copy = contiguous(view);
      const auto bytes = streamed(view, chunk);
      REQUIRE(bytes.size() == static_cast<size_t>(view.elements()) * 2);
      CHECK(std::memcmp(bytes.data(), copy.bytes.data(), bytes.size()) == 0);
    }
  CHECK(streamed(counting({0, 3}), 16).empty());
}

TEST_CASE("same_values compares dtype, shape and values, not strides") {
  const Tensor rows = counting({2, 3});
  CHECK(same_values(
      rows, with_geometry(contiguous(with_geometry(rows, {3, 2}, {1, 3})), {2, 3}, {1, 2})));
  CHECK_FALSE(same_values(rows, counting({3, 2})));
  CHECK_FALSE(same_values(rows, counting({2, 3}, DType::i64)));
  CHECK_FALSE(same_values(rows, tensor_of<int64_t>(DType::i32, {2, 3}, {0, 1, 2, 3, 4, 6})));
}

TEST_CASE("every half converts to f32 and back, ties go to even") {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<uint16_t>(bits);
    const float value = half_to_float(half);
    if (std::isnan(value))
      CHECK(std::isnan(half_to_float(float_to_half(value))));
    else if (float_to_half(value) != half)
      FAIL_CHECK("half " << bits);
  }
  CHECK(half_to_float(0x3555) == doctest::Approx(0.33325195).epsilon(1e-7));
  CHECK(half_to_float(0x0001) == std::ldexp(1.0F, -24));
  CHECK(float_to_half(65519.0F) == 0x7bff);
  CHECK(float_to_half(65520.0F) == 0x7c00);
  CHECK(float_to_half(1.0F + std::ldexp(1.0F, -11)) == 0x3c00);
  CHECK(float_to_half(1.0F + 3 * std::ldexp(1.0F, -11)) == 0x3c02);
  CHECK(float_to_half(std::ldexp(1.0F, -25)) == 0x0000);
  CHECK(float_to_half(std::ldexp(1.5F, -25)) == 0x0001);
}

TEST_CASE("bfloat16 rounds to nearest even and keeps infinities and NaN") {
  CHECK(float_to_bfloat(1.0F) == 0x3f80);
  CHECK(float_to_bfloat(1.0F + std::ldexp(1.0F, -8)) == 0x3f80);
  CHECK(float_to_bfloat(1.0F + 3 * std::ldexp(1.0F, -8)) == 0x3f82);
  CHECK(float_to_bfloat(std::numeric_limits<float>::infinity()) == 0x7f80);
  CHECK(std::isnan(bfloat_to_float(float_to_bfloat(std::bit_cast<float>(0x7f800001U)))));
  CHECK(bfloat_to_float(0x4049) == 3.140625F);
}

template <typename From>
std::vector<double> cast(const std::vector<From>& values, DType from, DType to) {
  const auto count = static_cast<int64_t>(values.size());
  const Tensor source = tensor_of(from, {count}, values);
  OwnedTensor out = allocate(to, {count});
  REQUIRE_FALSE(cast_elements(from, source.bytes, to, out.data));
  return to_f64(out.tensor);
}

TEST_CASE("casts behave as torch's do") {
  CHECK(cast<double>({-1.9, 1.9, -0.5}, DType::f64, DType::i32) == std::vector<double>{-1, 1, 0});
  CHECK(cast<double>({0.0, -0.0, 0.5}, DType::f32, DType::boolean) == std::vector<double>{0, 0, 1});
  CHECK(cast<double>({1e300, 0.1}, DType::f64, DType::f32) ==
        std::vector<double>{INFINITY, static_cast<double>(0.1F)});
  CHECK(cast<double>({70000, 2049}, DType::f32, DType::f16) == std::vector<double>{INFINITY, 2048});
  // Through f64 this would round twice: 2^60 + 2^36 + 1 lies just above a tie of f32.
  CHECK(cast<int64_t>({(int64_t{1} << 60) + (int64_t{1} << 36) + 1}, DType::i64, DType::f32) ==
        std::vector<double>{std::ldexp(1.0, 60) + std::ldexp(1.0, 37)});
}

TEST_CASE("values that do not fit an integer type are reported, not wrapped") {
  const auto misfit = [](double value, DType from, DType to) {
    const Tensor source = tensor_of<double>(from, {2}, {0, value});
    OwnedTensor out = allocate(to, {2});
    return cast_elements(from, source.bytes, to, out.data);
  };
  CHECK(misfit(3e9, DType::i64, DType::i32) == 1);
  CHECK(misfit(-1, DType::i8, DType::u8) == 1);
  CHECK(misfit(256, DType::f32, DType::u8) == 1);
  CHECK(misfit(NAN, DType::f32, DType::i64) == 1);
  CHECK(misfit(9223372036854775808.0, DType::f64, DType::i64) == 1);
  CHECK_FALSE(misfit(-9223372036854775808.0, DType::f64, DType::i64));
  CHECK_FALSE(misfit(255.9, DType::f32, DType::u8));
  CHECK_FALSE(misfit(-0.9, DType::f32, DType::u8));
}

TEST_CASE("complex elements are not plain numbers") {
  const OwnedTensor tensor = allocate(DType::c64, {2});
  CHECK(tensor.data.size() == 16);
  CHECK_THROWS_AS(element_f64(tensor.tensor, 0), Error);
  CHECK(streamed(with_geometry(tensor.tensor, {2}, {1}), 8).size() == 16);
}

TEST_CASE("NaN and infinities are seen in floats of every width") {
  for (const DType dtype : {DType::f16, DType::bf16, DType::f32, DType::f64}) {
    CHECK(is_finite(tensor_of<double>(dtype, {2}, {1, -2})));
    for (const double lost : {HUGE_VAL, -HUGE_VAL, std::nan("")})
      CHECK_FALSE(is_finite(tensor_of<double>(dtype, {2}, {1, lost})));
  }
  CHECK(is_finite(tensor_of<int64_t>(DType::i64, {1}, {7})));
}

}  // namespace
}  // namespace t2n::ir
