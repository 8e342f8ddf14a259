// SPDX-License-Identifier: Apache-2.0
// Tensor files of every item type, as the versions of NNEF and tract define them.
#include <doctest/doctest.h>

#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "src/diag/error.h"
#include "src/nnef/dat.h"

namespace t2n::nnef {
namespace {

using ir::DType;
using Bytes = std::vector<std::byte>;
using Reals = std::vector<double>;

/// A file of any header; its claimed length is that of the values.
struct File {
  uint32_t type = 0;
  uint32_t bits = 32;
  std::vector<uint32_t> shape;
  std::vector<uint8_t> values;
  std::vector<float> parameters = {};

  Bytes bytes() const {
    Bytes out(128 + values.size());
    const auto put = [&](size_t offset, auto value) {
      std::memcpy(out.data() + offset, &value, sizeof value);
    };
    put(0, 0x0001EF4E);
    put(4, static_cast<uint32_t>(values.size()));
    put(8, static_cast<uint32_t>(shape.size()));
    for (size_t i = 0; i < shape.size(); ++i) put(12 + 4 * i, shape[i]);
    put(44, bits);
    put(48, type);
    for (size_t i = 0; i < parameters.size(); ++i) put(52 + 4 * i, parameters[i]);
    for (size_t i = 0; i < values.size(); ++i) out[128 + i] = std::byte{values[i]};
    return out;
  }
};

StoredTensor read_item(const File& file) {
  const auto bytes = std::make_shared<Bytes>(file.bytes());
  return read_stored({*bytes, bytes}, "w.dat");
}

std::string why(const File& file) {
  try {
    read_item(file);
  } catch (const Error& error) {
    CHECK(error.diagnostic().id == "nnef-syntax");
    return error.diagnostic().why;
  }
  return "read";
}

struct Row {
  File file;
  std::string item;
  DType dtype;
  Reals values;
  bool quantised = false;
};

void check(const Row& row) {
  CAPTURE(row.item);
  const StoredTensor stored = read_item(row.file);
  CHECK(stored.item == row.item);
  CHECK(stored.values.dtype == row.dtype);
  CHECK(stored.quantised == row.quantised);
  CHECK(ir::to_f64(stored.values) == row.values);
}

TEST_CASE("floats") {
  check({{0, 16, {2}, {0x00, 0x3c, 0x00, 0xc0}}, "f16", DType::f16, {1, -2}});
  check({{0, 32, {1}, {0, 0, 0x80, 0x3f}}, "f32", DType::f32, {1}});
  check({{0, 64, {}, {0, 0, 0, 0, 0, 0, 0xf0, 0x3f}}, "f64", DType::f64, {1}});
}

TEST_CASE("integers of every type and width") {
  for (const uint32_t type : {1U, 2U}) {
    const bool codes = type == 2;
    const std::string suffix = codes ? " quantised" : "";
    check({{type, 8, {2}, {1, 255}}, "u8" + suffix, DType::u8, {1, 255}, codes});
    check({{type, 16, {1}, {1, 255}}, "u16" + suffix, DType::u16, {65281}, codes});
    check({{type, 24, {1}, {1, 2, 255}}, "u24" + suffix, DType::u32, {0xff0201}, codes});
    check({{type, 32, {1}, {1, 0, 0, 255}}, "u32" + suffix, DType::u32, {4278190081}, codes});
    check({{type, 40, {1}, {1, 0, 0, 0, 255}}, "u40" + suffix, DType::u64, {1095216660481}, codes});
    check({{type, 64, {1}, {1, 0, 0, 0, 0, 0, 0, 0}}, "u64" + suffix, DType::u64, {1}, codes});
  }
  for (const uint32_t type : {3U, 4U, 0x100U}) {
    const bool codes = type == 3;
    const std::string suffix = codes ? " quantised" : "";
    check({{type, 8, {2}, {1, 255}}, "i8" + suffix, DType::i8, {1, -1}, codes});
    check({{type, 16, {1}, {1, 255}}, "i16" + suffix, DType::i16, {-255}, codes});
    check({{type, 24, {2}, {1, 2, 255, 1, 0, 0}}, "i24" + suffix, DType::i32, {-65023, 1}, codes});
    check({{type, 32, {1}, {254, 255, 255, 255}}, "i32" + suffix, DType::i32, {-2}, codes});
    check({{type, 56, {1}, {254, 255, 255, 255, 255, 255, 255}},
           "i56" + suffix,
           DType::i64,
           {-2},
           codes});
    check({{type, 64, {1}, {254, 255, 255, 255, 255, 255, 255, 255}},
           "i64" + suffix,
           DType::i64,
           {-2},
           codes});
  }
}

TEST_CASE("integers of less than a byte are a stream of bits, highest first") {
  check({{2, 4, {3}, {0x1f, 0x80}}, "u4 quantised", DType::u8, {1, 15, 8}, true});
  check({{3, 4, {3}, {0x1f, 0x80}}, "i4 quantised", DType::i8, {1, -1, -8}, true});
  check({{4, 3, {5}, {0b00101111, 0b10001000}}, "i3", DType::i8, {1, 3, -1, 0, -4}});
  check({{1, 1, {9}, {0b10000001, 0x80}}, "u1", DType::u8, {1, 0, 0, 0, 0, 0, 0, 1, 1}});
  check({{4, 1, {2}, {0b01000000}}, "i1", DType::i8, {0, -1}});
  check({{1, 7, {1}, {0b11111110}}, "u7", DType::u8, {127}});
}

TEST_CASE("booleans of a byte and of a bit") {
  for (const uint32_t type : {5U, 0x101U}) {
    check({{type, 8, {3}, {0, 1, 7}}, "bool", DType::boolean, {0, 1, 1}});
    check({{type, 1, {3}, {0b10100000}}, "bool packed", DType::boolean, {1, 0, 1}});
  }
}

TEST_CASE("an unsigned integer was a signed one where a parameter said so") {
  File file{1, 8, {1}, {255}};
  file.parameters = {1.0F};
  check({file, "i8", DType::i8, {-1}});
}

TEST_CASE("codes whose meaning the header gives, as until NNEF 1.0.2") {
  check({{0x10, 8, {3}, {0, 51, 255}, {-1.0F, 4.0F}}, "linear8", DType::f32, {-1, 0, 4}});
  check({{0x10, 2, {4}, {0b00011011}, {0.0F, 3.0F}}, "linear2", DType::f32, {0, 1, 2, 3}});
  check({{0x11, 2, {4}, {0b00011011}, {0.0F, 4.0F}}, "logarithmic2", DType::f32, {.5, 1, 2, 4}});
  check({{0x11, 2, {1}, {0b11000000}, {0.0F, 3.0F}}, "logarithmic2", DType::f32, {4}});
  CHECK(why({0x11, 8, {1}, {0}, {-4.0F, 4.0F}}).starts_with("its items are signed logarithms"));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  CHECK(why({0x10, 8, {1}, {0}, {nan, 4.0F}}) == "its header gives a range that is not finite");
  CHECK(why({2, 8, {1}, {0}, {0.0F, 4.0F}}) ==
        "its header has quantisation parameters, which NNEF 1.0.4 removed");
}

TEST_CASE("without a range, these types have the meaning of NNEF 1.0.3") {
  check({{0x10, 8, {1}, {255}}, "u8 quantised", DType::u8, {255}, true});
  check({{0x11, 8, {1}, {255}}, "i8 quantised", DType::i8, {-1}, true});
}

/// A row of 32 values with the scale 0.5, value i of which is (i % 16 - 8) / 2.
File q4(uint32_t type, uint32_t rows) {
  File out{type, 0xffffffff, {rows, 32}, {}};
  for (uint32_t row = 0; row < rows; ++row) {
    out.values.insert(out.values.end(), {0x00, 0x38});
    for (uint8_t i = 0; i < 16; ++i) {
      const int first = type == 0x54522040 ? 2 * i % 16 : i;
      const int second = type == 0x54522040 ? (2 * i + 1) % 16 : i;
      out.values.push_back(static_cast<uint8_t>(first | second << 4));
    }
  }
  return out;
}

TEST_CASE("blocks of tract") {
  Reals expected;
  for (int i = 0; i < 64; ++i) expected.push_back((i % 16 - 8) / 2.0);
  check({q4(0x54523040, 2), "q4_0", DType::f32, expected});
  check({q4(0x54522040, 2), "q4_0 in pairs", DType::f32, expected});
  File q8{0x54523080, 0xffffffff, {1, 32}, {0x00, 0x38, 0x12, 0x34}};
  for (uint8_t i = 0; i < 32; ++i) q8.values.push_back(static_cast<uint8_t>(i - 16));
  Reals eighths;
  for (int i = 0; i < 32; ++i) eighths.push_back((i - 16) / 2.0);
  check({q8, "q8_1", DType::f32, eighths});
  q8.type = 0x54523081;
  check({q8, "q8_1", DType::f32, eighths});
}

TEST_CASE("blocks that do not fit their shape") {
  File file = q4(0x54523040, 2);
  file.shape = {64};
  CHECK(why(file) == "its items are q4_0, which needs two dimensions");
  file.shape = {4, 16};
  CHECK(why(file) == "its items are q4_0, which needs rows of a multiple of 32 values, not 16");
  file.shape = {2, 2, 16};
  CHECK(why(file) == "read");
  file.shape = {3, 32};
  CHECK(why(file) == "its shape does not match the 36 bytes it claims");
  file.shape = {0, 32};
  CHECK(why(file) == "its shape does not match the 36 bytes it claims");
}

TEST_CASE("complex numbers of tract") {
  check({{0x54520000, 64, {0}, {}}, "c64", DType::c64, {}});
  check({{0x54520000, 128, {0}, {}}, "c128", DType::c128, {}});
}

TEST_CASE("types that are refused") {
  CHECK(why({0, 8, {1}, {0}}) == "its items are of type 0 with 8 bits");
  CHECK(why({5, 2, {1}, {0}}) == "its items are of type 5 with 2 bits");
  CHECK(why({4, 0, {1}, {}}) == "its items are of type 4 with 0 bits");
  CHECK(why({4, 65, {1}, {}}) == "its items are of type 4 with 65 bits");
  CHECK(why({4, 12, {2}, {0, 0, 0}}) ==
        "its integers have 12 bits, and the specification does not define their order");
  CHECK(why({0x54521000, 0xffffffff, {0}, {}}) == "its items are strings");
  CHECK(why({0x54520004, 64, {0}, {}}) ==
        "its items are of type 4 of the vendor 21586 with 64 bits");
  CHECK(why({0x54524000, 0xffffffff, {0}, {}}) ==
        "its items are of type 16384 of the vendor 21586");
}

TEST_CASE("values in the right layout are not copied") {
  const auto bytes = std::make_shared<Bytes>(File{0, 32, {1}, {0, 0, 0x80, 0x3f}}.bytes());
  const StoredTensor stored = read_stored({*bytes, bytes}, "w.dat");
  CHECK(stored.values.bytes.data() == bytes->data() + 128);
  CHECK(stored.values.owner == bytes);
  const auto shifted = std::make_shared<Bytes>(bytes->size() + 1);
  std::copy(bytes->begin(), bytes->end(), shifted->begin() + 1);
  const StoredTensor copied = read_stored({std::span(*shifted).subspan(1), shifted}, "w.dat");
  CHECK(copied.values.owner != shifted);
  CHECK(ir::same_values(copied.values, stored.values));
}

}  // namespace
}  // namespace t2n::nnef
