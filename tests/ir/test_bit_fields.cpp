// SPDX-License-Identifier: Apache-2.0
// Integers as bit fields: every element comes back, and nothing grows.
#include <doctest/doctest.h>

#include <limits>
#include <random>

#include "ir/bit_fields.h"
#include "ir/spilled.h"
#include "src/limits/limits.h"
#include "tests/support/temporary.h"

namespace t2n::ir {
namespace {

using Numbers = std::vector<int64_t>;

/// The elements, looked up byte by byte as an artefact does.
Numbers read_back(const BitFields& fields, size_t count, DType dtype) {
  Numbers out(static_cast<size_t>(fields.padded));
  const Numbers bytes = to_i64(fields.bytes);
  for (const FieldRow& row : fields.rows) {
    const Tensor table = field_table(row, row.shift == 0 ? fields.lowest : 0, dtype);
    const auto each = static_cast<size_t>(table.shape.at(1));
    for (size_t i = 0; i < out.size(); ++i)
      out[i] += element_i64(
          table, bytes.at(static_cast<size_t>(row.begin) + i / each) * static_cast<int64_t>(each) +
                     static_cast<int64_t>(i % each));
  }
  out.resize(count);
  return out;
}

Numbers drawn(int64_t lowest, int64_t highest, size_t count) {
  std::mt19937 generator(static_cast<unsigned>(count));
  Numbers out;
  for (size_t i = 0; i < count; ++i)
    out.push_back(lowest + static_cast<int64_t>(generator()) % (highest - lowest + 1));
  if (count < 2) return out;
  out.front() = highest;
  out.back() = lowest;
  return out;
}

TEST_CASE("every element comes back, whatever the number of bits, the sign and the remainder") {
  for (int bits = 1; bits < 8; ++bits)
    for (const int64_t lowest : {-128, -64, -1, 0, 1, 125, 127, 252})
      for (const size_t count : {40000, 40001, 40003, 40007}) {
        const int64_t highest = lowest + (int64_t{1} << bits) - 1;
        const DType dtype = lowest < 0 ? DType::i8 : DType::u8;
        if (highest > (lowest < 0 ? 127 : 255)) continue;
        CAPTURE(bits);
        CAPTURE(lowest);
        CAPTURE(count);
        const Numbers numbers = drawn(lowest, highest, count);
        const auto size = static_cast<int64_t>(count);
        const auto fields = bit_fields(tensor_of(dtype, {size}, numbers));
        REQUIRE(fields.has_value());
        CHECK(fields->bits == bits);
        CHECK(fields->bytes.elements() == integer_bytes(size, bits));
        CHECK(fields->bytes.elements() <= (size + 7) / 8 * bits);
        CHECK(read_back(*fields, count, dtype) == numbers);
      }
}

TEST_CASE("a transposed weight is stored row by row, and one number takes a bit") {
  Tensor matrix = tensor_of(DType::i8, {100, 120}, drawn(-3, 3, 12000));
  std::swap(matrix.shape[0], matrix.shape[1]);
  std::swap(matrix.strides[0], matrix.strides[1]);
  const auto fields = bit_fields(matrix);
  REQUIRE(fields.has_value());
  CHECK(read_back(*fields, 12000, DType::i8) == to_i64(matrix));
  // Fields that no element has would exceed the highest integer.
  for (const int64_t lowest : {100, 125}) {
    const Numbers numbers = drawn(lowest, 127, 40000);
    const auto few = bit_fields(tensor_of(DType::i8, {40000}, numbers));
    REQUIRE(few.has_value());
    CHECK(read_back(*few, 40000, DType::i8) == numbers);
  }
  const auto same = bit_fields(tensor_of(DType::u8, {9000}, Numbers(9000, 255)));
  REQUIRE(same.has_value());
  CHECK(same->bits == 1);
  CHECK(read_back(*same, 9000, DType::u8) == Numbers(9000, 255));
}

TEST_CASE("integers stay bytes if fields save next to nothing") {
  for (const int64_t count : {0, 1, 8191}) {
    CAPTURE(count);
    CHECK_FALSE(
        bit_fields(tensor_of(DType::i8, {count}, drawn(-7, 7, static_cast<size_t>(count)))));
    CHECK(integer_bytes(count, 4) == count);
  }
  CHECK(integer_bytes(8192, 4) == 4096);
  CHECK_FALSE(bit_fields(tensor_of(DType::i8, {9000}, drawn(-127, 127, 9000))));
  CHECK_FALSE(bit_fields(Tensor{DType::i8, {9000}, {1}, {}, {}}));  // without its values
}

TEST_CASE("spilled tensors keep their values and take no memory") {
  constexpr int64_t kBytes = int64_t{64} << 20;
  constexpr int64_t kLittle = int64_t{8} << 20;
  const test::TemporaryFolder folder;
  const int64_t before = limits::memory_in_use();
  spill_into(folder.path());
  std::vector<Tensor> kept;
  for (int value = 1; value < 4; ++value) {
    OwnedTensor owned = allocate(DType::u8, {kBytes});
    std::fill(owned.data.begin(), owned.data.end(), static_cast<std::byte>(value));
    kept.push_back(spilled(std::move(owned.tensor)));
    owned.data = {};
  }
  CHECK(limits::memory_in_use() - before < kLittle);
  for (int value = 1; value < 4; ++value)
    CHECK(element_i64(kept[static_cast<size_t>(value) - 1], kBytes - 1) == value);
  const Tensor small = tensor_of(DType::f32, {2}, Numbers{1, 2});
  CHECK(spilled(small).bytes.data() == small.bytes.data());
  CHECK(std::filesystem::is_empty(folder.path()));
  spill_into(folder.path() / "none");  // not a folder: the file stays
  CHECK(same_values(spilled(kept[0]), kept[0]));
}

}  // namespace
}  // namespace t2n::ir
