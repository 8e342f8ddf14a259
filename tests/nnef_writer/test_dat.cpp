// SPDX-License-Identifier: Apache-2.0
// Tensor files: exact headers, every dtype, strided, joined and cast parts, refusals.
#include <doctest/doctest.h>

#include <cstring>
#include <string>

#include "nnef_writer/dat.h"
#include "src/diag/error.h"
#include "src/nnef/dat.h"

namespace t2n::nnef {
namespace {

using ir::DType;
using ir::Ints;
using ir::Tensor;

std::vector<std::byte> written(const Blob& blob) {
  std::vector<std::byte> out;
  write_dat(blob, [&](std::span<const std::byte> bytes) {
    out.insert(out.end(), bytes.begin(), bytes.end());
  });
  CHECK(static_cast<int64_t>(out.size()) == dat_size(blob));
  return out;
}

Tensor counting(DType dtype, const Ints& shape, int64_t first = 0) {
  std::vector<int64_t> values(static_cast<size_t>(ir::element_count(shape)));
  for (size_t i = 0; i < values.size(); ++i) values[i] = first + static_cast<int64_t>(i);
  return ir::tensor_of(dtype, shape, values);
}

Tensor transposed(Tensor matrix) {
  std::swap(matrix.shape[0], matrix.shape[1]);
  std::swap(matrix.strides[0], matrix.strides[1]);
  return matrix;
}

Blob blob_of(Tensor tensor) {
  return {.label = "w", .dtype = tensor.dtype, .shape = tensor.shape, .parts = {tensor}};
}

Tensor round_trip(const Blob& blob) { return read_dat(written(blob), "w.dat"); }

std::string blob_refusal(const Blob& blob) {
  try {
    written(blob);
  } catch (const Error& error) {
    return error.what();
  }
  return "written";
}

uint32_t word(const std::vector<std::byte>& bytes, size_t offset) {
  uint32_t out = 0;
  std::memcpy(&out, bytes.data() + offset, 4);
  return out;
}

TEST_CASE("the header of an f32 matrix, byte for byte") {
  const auto bytes = written(blob_of(ir::tensor_of<float>(DType::f32, {1, 2}, {1.0F, -2.0F})));
  std::string hex;
  for (const std::byte byte : bytes)
    hex += "0123456789abcdef"[static_cast<uint8_t>(byte) >> 4U],
        hex += "0123456789abcdef"[static_cast<uint8_t>(byte) & 15U];
  const std::string expected =
      "4eef0100"  // magic, version
      "08000000"  // bytes
      "02000000"  // rank
      "01000000"  // extents
      "02000000" +
      std::string(48, '0') +
      "20000000"    // bits
      "00000000" +  // float
      std::string(152, '0') +
      "0000803f000000c0";
  CHECK(hex == expected);
}

TEST_CASE("item types and bits of every dtype, and the values back") {
  struct Row {
    DType dtype;
    uint32_t bits, type, quantised_type;
  };
  const Row rows[] = {{DType::u8, 8, 1, 2},   {DType::u16, 16, 1, 2}, {DType::u32, 32, 1, 2},
                      {DType::u64, 64, 1, 2}, {DType::i8, 8, 4, 3},   {DType::i16, 16, 4, 3},
                      {DType::i32, 32, 4, 3}, {DType::i64, 64, 4, 3}, {DType::f16, 16, 0, 0},
                      {DType::f32, 32, 0, 0}, {DType::f64, 64, 0, 0}, {DType::boolean, 8, 5, 5}};
  for (const Row& row : rows) {
    CAPTURE(ir::dtype_name(row.dtype));
    Blob blob = blob_of(counting(row.dtype, {3, 5}));
    const auto bytes = written(blob);
    CHECK(word(bytes, 44) == row.bits);
    CHECK(word(bytes, 48) == row.type);
    CHECK(ir::same_values(read_dat(bytes, "w.dat"), blob.parts[0]));
    blob.quantised = true;
    CHECK(word(written(blob), 48) == row.quantised_type);
  }
}

TEST_CASE("rank 0, rank 8 and empty tensors") {
  CHECK(ir::same_values(round_trip(blob_of(ir::scalar_tensor(2.5, DType::f32))),
                        ir::scalar_tensor(2.5, DType::f32)));
  const Tensor deep = counting(DType::i32, {1, 2, 1, 2, 1, 2, 1, 2});
  CHECK(ir::same_values(round_trip(blob_of(deep)), deep));
  const Tensor empty = counting(DType::f32, {2, 0, 3});
  CHECK(ir::same_values(round_trip(blob_of(empty)), empty));
}

TEST_CASE("strided parts come out in row-major order, also across chunks") {
  const Tensor view = transposed(counting(DType::i32, {700, 900}));  // 2.4 MiB
  CHECK(ir::same_values(round_trip(blob_of(view)), ir::contiguous(view)));
}

TEST_CASE("parts are joined along any axis") {
  const Tensor a = counting(DType::i16, {2, 3, 2});
  for (const int axis : {0, 1, 2}) {
    CAPTURE(axis);
    Ints shape = {2, 3, 2};
    shape[static_cast<size_t>(axis)] *= 3;
    const Tensor swapped = transposed(counting(DType::i16, {3, 2, 2}, 100));
    const Tensor out = round_trip({.label = "w",
                                   .dtype = DType::i16,
                                   .shape = shape,
                                   .parts = {a, swapped, a},
                                   .axis = axis});
    for (int64_t i = 0; i < out.elements(); ++i) {
      const Ints index = {i / (shape[1] * shape[2]), i / shape[2] % shape[1], i % shape[2]};
      const auto along = index[static_cast<size_t>(axis)];
      const int64_t size = a.shape[static_cast<size_t>(axis)];
      Ints local = index;
      local[static_cast<size_t>(axis)] = along % size;
      const int64_t at = (local[0] * 3 + local[1]) * 2 + local[2];
      CHECK(ir::element_i64(out, i) == ir::element_i64(along / size == 1 ? swapped : a, at));
    }
  }
}

TEST_CASE("small and large parts keep their order") {
  for (const int64_t large : {50000, 70000, 100000, 300000})
    for (const bool is_first : {false, true}) {
      CAPTURE(large);
      const ir::Tensor a = counting(DType::f32, {10}), b = counting(DType::f32, {large});
      Blob blob{
          .label = "w", .dtype = DType::f32, .shape = {large + 10}, .parts = {a, b}, .axis = 0};
      if (is_first) std::swap(blob.parts[0], blob.parts[1]);
      const auto read = ir::to_f64(round_trip(blob));
      CHECK_EQ(read[0], 0);
      CHECK_EQ(read[9], 9);
      CHECK_EQ(read[is_first ? static_cast<size_t>(large) + 9 : 10], is_first ? 9 : 0);
      CHECK_EQ(read[is_first ? static_cast<size_t>(large) - 1 : static_cast<size_t>(large) + 9],
               static_cast<double>(large - 1));
    }
}

TEST_CASE("gates of different sizes and dtypes are joined and cast") {
  const Tensor a = counting(DType::f64, {2, 2});
  const Tensor b = counting(DType::f16, {2, 1}, 10);
  const Tensor out =
      round_trip({.label = "w", .dtype = DType::f32, .shape = {2, 3}, .parts = {a, b}, .axis = 1});
  CHECK(out.dtype == DType::f32);
  CHECK(ir::to_f64(out) == std::vector<double>{0, 1, 10, 2, 3, 11});
}

TEST_CASE("a large cast goes through in chunks") {
  const Tensor wide = counting(DType::i64, {600, 700});
  const Tensor out = round_trip({.label = "w",
                                 .dtype = DType::i32,
                                 .shape = wide.shape,
                                 .parts = {transposed(transposed(wide))}});
  CHECK(ir::to_i64(out) == ir::to_i64(wide));
}

TEST_CASE("booleans as bits, the first in the highest") {
  Blob blob =
      blob_of(ir::tensor_of<uint8_t>(DType::boolean, {2, 5}, {1, 0, 1, 0, 0, 0, 0, 0, 1, 1}));
  blob.bit_packed = true;
  const auto bytes = written(blob);
  CHECK(word(bytes, 4) == 2);
  CHECK(word(bytes, 44) == 1);
  CHECK(bytes[128] == std::byte{0b10100000});
  CHECK(bytes[129] == std::byte{0b11000000});
  CHECK(ir::same_values(read_dat(bytes, "w.dat"), blob.parts[0]));
  Blob joined{.label = "w",
              .dtype = DType::boolean,
              .shape = {2, 15},
              .parts = {blob.parts[0], blob.parts[0], blob.parts[0]},
              .axis = 1,
              .bit_packed = true};
  const auto packed = ir::to_i64(round_trip(joined));
  joined.bit_packed = false;
  CHECK(packed == ir::to_i64(round_trip(joined)));
}

TEST_CASE("blobs that the format cannot hold are refused before anything is written") {
  CHECK(blob_refusal(blob_of(counting(DType::bf16, {2}))) ==
        "error[unsupported-dtype]: tensor 'w' is bf16, which no .dat file can hold\n"
        "  why:  NNEF stores floats of 16 (IEEE half), 32 and 64 bits, integers and booleans\n"
        "  help: convert the model with model.float() or model.half()\n");
  CHECK(blob_refusal(blob_of(ir::allocate(DType::c64, {2}).tensor)) ==
        "error[unsupported-dtype]: tensor 'w' is c64, which no .dat file can hold\n"
        "  why:  NNEF stores floats of 16 (IEEE half), 32 and 64 bits, integers and booleans\n"
        "  help: split it into real and imaginary parts before exporting\n");
  Tensor large = counting(DType::f32, {1});
  large.shape = {int64_t{1} << 15, int64_t{1} << 15};
  large.strides = {0, 0};
  CHECK(blob_refusal(blob_of(large)) ==
        "error[unsupported-output]: tensor 'w' takes 4096 MiB\n"
        "  why:  a .dat file holds less than 4 GiB: its length is a 32-bit number\n"
        "  help: split the weight into several tensors, or store it in half precision\n");
  CHECK(blob_refusal(blob_of(counting(DType::f32, {1, 1, 1, 1, 1, 1, 1, 1, 1}))) ==
        "error[unsupported-output]: tensor 'w' has 9 dimensions\n"
        "  why:  a .dat file holds at most 8\n");
}

TEST_CASE("bf16 values can be stored as f32") {
  Blob blob = blob_of(counting(DType::bf16, {3}));
  blob.dtype = DType::f32;
  CHECK(ir::to_f64(round_trip(blob)) == std::vector<double>{0, 1, 2});
}

TEST_CASE("integers that do not fit are refused") {
  Blob blob = blob_of(counting(DType::i64, {2}, int64_t{1} << 31));
  blob.dtype = DType::i32;
  CHECK(blob_refusal(blob) ==
        "error[unsupported-dtype]: a value of tensor 'w' (i64) does not fit i32\n"
        "  why:  wrapping it around would change what the model computes\n");
}

TEST_CASE("parts that do not make up the shape are our own bug") {
  Blob blob = blob_of(counting(DType::i32, {2, 3}));
  blob.shape = {3, 2};
  CHECK(blob_refusal(blob).starts_with("internal error"));
  blob.shape = {4, 3};
  blob.parts = {counting(DType::i32, {2, 3}), counting(DType::i32, {2, 2})};
  CHECK(blob_refusal(blob).starts_with("internal error"));
}

}  // namespace
}  // namespace t2n::nnef
