// SPDX-License-Identifier: Apache-2.0
// Reading tensor files that are not what they claim to be.
#include <doctest/doctest.h>

#include <cstring>
#include <string>
#include <vector>

#include "nnef_writer/dat.h"
#include "src/diag/error.h"
#include "src/nnef/dat.h"

namespace t2n::nnef {
namespace {

using Bytes = std::vector<std::byte>;

Bytes example_file() {
  const ir::Tensor tensor = ir::tensor_of<float>(ir::DType::f32, {2, 3}, {0, 1, 2, 3, 4, 5});
  Bytes out;
  write_dat(
      {.label = "w", .shape = {2, 3}, .parts = {tensor}},
      [&](std::span<const std::byte> bytes) { out.insert(out.end(), bytes.begin(), bytes.end()); });
  return out;
}

Bytes with_word(size_t offset, uint32_t value, Bytes bytes = example_file()) {
  std::memcpy(bytes.data() + offset, &value, 4);
  return bytes;
}

std::string why_refused(const Bytes& bytes) {
  try {
    read_dat(bytes, "w.dat");
  } catch (const Error& error) {
    CHECK(error.diagnostic().message == "'w.dat' is not a tensor that t2nnef can read");
    return error.diagnostic().why;
  }
  return "read";
}

TEST_CASE("every field of the header is checked") {
  CHECK(why_refused(example_file()) == "read");
  CHECK(why_refused({}) == "it has 0 bytes, less than a header");
  CHECK(why_refused(Bytes(127)) == "it has 127 bytes, less than a header");
  CHECK(why_refused(Bytes(128)) == "it does not begin with 4E EF 01 00");
  CHECK(why_refused(with_word(0, 0x0002EF4E)) == "it does not begin with 4E EF 01 00");
  CHECK(why_refused(with_word(4, 23)) == "its shape does not match the 23 bytes it claims");
  CHECK(why_refused(with_word(8, 9)) == "it claims 9 dimensions, at most 8 are allowed");
  CHECK(why_refused(with_word(12, 3)) == "its shape does not match the 24 bytes it claims");
  CHECK(why_refused(with_word(44, 24)) == "its items are of type 0 with 24 bits");
  CHECK(why_refused(with_word(48, 6)) == "its items are of type 6 with 32 bits");
  CHECK(why_refused(with_word(48, 0x54520000)) ==
        "its items are of type 0 of the vendor 21586 with 32 bits");
  Bytes longer = example_file();
  longer.push_back({});
  CHECK(why_refused(longer) == "it has 153 bytes where its header promises 152");
  longer.resize(151);
  CHECK(why_refused(longer) == "it has 151 bytes where its header promises 152");
}

TEST_CASE("sizes that overflow are no sizes") {
  Bytes bytes = with_word(8, 8);
  for (size_t i = 0; i < 8; ++i) bytes = with_word(12 + 4 * i, 0xffffffff, bytes);
  CHECK(why_refused(bytes) == "its shape does not match the 24 bytes it claims");
  bytes = with_word(12, 0, with_word(4, 0, bytes));
  bytes.resize(128);
  CHECK(why_refused(bytes) == "its shape does not match the 0 bytes it claims");
}

TEST_CASE("quantised and legacy signed items are read as the integers they are") {
  const Bytes bytes = with_word(44, 32, with_word(48, 1));
  CHECK(read_dat(bytes, "w.dat").dtype == ir::DType::u32);
  CHECK(read_dat(with_word(52, 1, bytes), "w.dat").dtype == ir::DType::i32);
  CHECK(read_dat(with_word(48, 2, bytes), "w.dat").dtype == ir::DType::u32);
  CHECK(read_dat(with_word(48, 3, bytes), "w.dat").dtype == ir::DType::i32);
}

TEST_CASE("any byte but zero is true") {
  Bytes bytes = with_word(48, 5, with_word(44, 8, with_word(12, 1, with_word(16, 24))));
  bytes[128] = std::byte{2};
  const auto values = ir::to_i64(read_dat(bytes, "w.dat"));
  CHECK(values[0] == 1);
  CHECK(values[1] == 0);
}

}  // namespace
}  // namespace t2n::nnef
