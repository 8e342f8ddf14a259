// SPDX-License-Identifier: Apache-2.0
// .npy and .npz files made by hand, good and bad.
#include <doctest/doctest.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "src/diag/error.h"
#include "src/nnef/npy.h"
#include "src/nnef/npz.h"

namespace t2n::nnef {
namespace {

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

template <typename T>
std::string raw(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

std::string little(uint64_t value, size_t size) {
  return {reinterpret_cast<const char*>(&value), size};
}

std::string file(const std::string& header, const std::string& values, int version = 1) {
  const std::string length = little(header.size(), version == 1 ? 2 : 4);
  return std::string("\x93NUMPY") + static_cast<char>(version) + '\0' + length + header + values;
}

std::string header(const std::string& type, const std::string& shape, bool fortran = false) {
  return "{'descr': '" + type + "', 'fortran_order': " + (fortran ? "True" : "False") +
         ", 'shape': " + shape + ", }     \n";
}

std::string npy(const std::string& type, const std::string& shape, const std::string& values) {
  return file(header(type, shape), values);
}

ir::Tensor read_array(const std::string& text) { return read_npy(bytes_of(text), "x.npy"); }

template <typename Work>
std::string error_of(Work work) {
  try {
    work();
  } catch (const Error& error) {
    CHECK_EQ(error.diagnostic().id, "input-unreadable");
    return error.diagnostic().why;
  }
  return "no error";
}

std::string array_refusal(const std::string& text) {
  return error_of([&] { read_array(text); });
}

uint32_t crc32(const std::string& text) {
  uint32_t crc = ~0U;
  for (const char c : text) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xEDB88320U : 0U);
  }
  return ~crc;
}

struct ZipEntry {
  std::string name;
  std::string content;
  bool deflated = false;
};

/// A block of raw deflate that stores what it holds.
std::string packed(const ZipEntry& entry) {
  if (!entry.deflated) return entry.content;
  const uint64_t size = entry.content.size();
  return "\x01" + little(size, 2) + little(~size & 0xFFFF, 2) + entry.content;
}

std::string zip(const std::vector<ZipEntry>& entries) {
  std::string out, index;
  for (const ZipEntry& entry : entries) {
    const std::string data = packed(entry);
    const std::string common = little(20, 2) + little(0, 2) + little(entry.deflated ? 8 : 0, 2) +
                               little(0, 4) + little(crc32(entry.content), 4) +
                               little(data.size(), 4) + little(entry.content.size(), 4) +
                               little(entry.name.size(), 2) + little(0, 2);
    index += "PK\x01\x02" + little(20, 2) + common + little(0, 6) + little(0, 4) +
             little(out.size(), 4) + entry.name;
    out += "PK\x03\x04" + common + entry.name + data;
  }
  const std::string count = little(entries.size(), 2);
  return out + index + "PK\x05\x06" + little(0, 4) + count + count + little(index.size(), 4) +
         little(out.size(), 4) + little(0, 2);
}

}  // namespace

TEST_CASE("values of every dtype that numpy and torch share") {
  struct Row {
    const char* type;
    ir::DType dtype;
  };
  const Row rows[] = {{"|u1", ir::DType::u8},   {"<u2", ir::DType::u16}, {"<u4", ir::DType::u32},
                      {"<u8", ir::DType::u64},  {"|i1", ir::DType::i8},  {"<i2", ir::DType::i16},
                      {"<i4", ir::DType::i32},  {"<i8", ir::DType::i64}, {"<f2", ir::DType::f16},
                      {"<f4", ir::DType::f32},  {"<f8", ir::DType::f64}, {"<c8", ir::DType::c64},
                      {"<c16", ir::DType::c128}};
  for (const Row& row : rows) {
    CAPTURE(row.type);
    const auto size = static_cast<size_t>(ir::dtype_size(row.dtype));
    std::string values;
    for (size_t i = 0; i < 3 * size; ++i) values += static_cast<char>(i + 1);
    const ir::Tensor tensor = read_array(npy(row.type, "(3,)", values));
    CHECK(tensor.dtype == row.dtype);
    CHECK_EQ(tensor.shape, ir::Ints{3});
    CHECK_EQ(std::memcmp(tensor.bytes.data(), values.data(), values.size()), 0);
  }
  CHECK_EQ(ir::to_i64(read_array(npy("|b1", "(3,)", {0, 1, 7}))), std::vector<int64_t>{0, 1, 1});
}

TEST_CASE("shapes, orders and versions") {
  const std::string six = raw<int32_t>({1, 2, 3, 4, 5, 6});
  CHECK_EQ(ir::to_i64(read_array(npy("<i4", "(2, 3)", six))),
           std::vector<int64_t>{1, 2, 3, 4, 5, 6});
  const ir::Tensor fortran = read_array(file(header("<i4", "(2, 3)", true), six));
  CHECK(ir::is_contiguous(fortran));
  CHECK_EQ(ir::to_i64(fortran), std::vector<int64_t>{1, 3, 5, 2, 4, 6});

  CHECK_EQ(ir::to_i64(read_array(npy("<i4", "()", raw<int32_t>({7})))), std::vector<int64_t>{7});
  CHECK_EQ(read_array(npy("<i4", "(0, 5)", "")).shape, ir::Ints{0, 5});
  CHECK_EQ(read_array(npy("<i4", "(3L, 2L)", six)).shape, ir::Ints{3, 2});
  for (const int version : {1, 2, 3}) {
    CAPTURE(version);
    CHECK_EQ(read_array(file(header("<i4", "(6,)"), six, version)).shape, ir::Ints{6});
  }
}

TEST_CASE("headers that numpy's own reader accepts or fails on") {
  const std::string one = raw<float>({1});
  CHECK_EQ(array_refusal(npy(">f4", "(1,)", one)), "its values are big endian");
  CHECK_EQ(array_refusal(npy("|O", "(1,)", one)), "it holds Python objects");
  CHECK_EQ(array_refusal(npy("<U4", "(1,)", one)), "its values are of type '<U4'");
  CHECK_EQ(array_refusal(npy("", "(1,)", one)), "its values are of type ''");
  CHECK_EQ(array_refusal(
               file("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", one)),
           "it holds records of several fields");
  CHECK_EQ(array_refusal(npy("<f4", "(2,)", one)),
           "its shape [2] of f32 does not match the 4 bytes that follow its header");
  CHECK_EQ(array_refusal(npy("<f4", "(1,)", one + one)),
           "its shape [1] of f32 does not match the 8 bytes that follow its header");
}

TEST_CASE("malformed headers") {
  const std::string good = npy("<f4", "(1,)", raw<float>({1}));
  CHECK_EQ(read_array(good).shape, ir::Ints{1});
  CHECK_EQ(array_refusal(""), "it does not start like a .npy file");
  CHECK_EQ(array_refusal("PK\x03\x04"), "it does not start like a .npy file");
  const size_t values = good.size() - 4;
  for (size_t length = 6; length < values; ++length) {
    CAPTURE(length);
    CHECK_EQ(array_refusal(good.substr(0, length)), "it ends in its header");
  }
  CHECK_EQ(array_refusal(file(header("<f4", "(1,)"), "", 4)), "its format version is 4");
  for (const char* text :
       {"", "{", "{}", "{'descr': '<f4'}", "{'descr': '<f4', 'shape': (1,)}", "{'descr': '<f4}",
        "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1 1)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'shape': (1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} and more"}) {
    CAPTURE(text);
    CHECK_EQ(array_refusal(file(text, raw<float>({1}))), "its header is malformed");
  }
}

TEST_CASE("shapes that overflow are refused before anything is allocated") {
  const char* const shape = "(4294967296, 4294967296, 4294967296)";
  CHECK(array_refusal(npy("<f4", shape, "1234")).starts_with("its shape [4294967296,"));
  CHECK(array_refusal(npy("<f4", "(0, 4294967296, 4294967296, 4294967296)", ""))
            .starts_with("its shape [0,"));
  CHECK(array_refusal(npy("<f4", "(1000000000000,)", "1234"))
            .starts_with("its shape [1000000000000]"));
}

TEST_CASE("archives, stored and deflated") {
  const std::string a = npy("<i4", "(2,)", raw<int32_t>({1, 2}));
  const std::string b = npy("<f4", "()", raw<float>({0.5F}));
  const std::string text = zip({{"a.npy", a}, {"größe.npy", b, true}});
  const auto arrays = read_npz(bytes_of(text), "all.npz");
  REQUIRE_EQ(arrays.size(), 2);
  CHECK_EQ(arrays[0].name, "a");
  CHECK_EQ(ir::to_i64(arrays[0].value), std::vector<int64_t>{1, 2});
  CHECK(arrays[1].name.starts_with("gr"));
  CHECK_EQ(ir::to_f64(arrays[1].value), std::vector<double>{0.5});
  CHECK(read_npz(bytes_of(zip({})), "none.npz").empty());
}

TEST_CASE("an archive that numpy wrote") {
  const char* const source = std::getenv("T2NNEF_SOURCE_DIR");
  REQUIRE(source != nullptr);
  const auto arrays = read_npz(std::string(source) + "/fixtures/shared_nested/input.npz");
  REQUIRE_EQ(arrays.size(), 4);
  CHECK_EQ(arrays[0].name, "x_tokens");
  CHECK(arrays[0].value.dtype == ir::DType::i64);
  CHECK_EQ(arrays[3].value.shape, ir::Ints{2, 1, 8});
}

TEST_CASE("bad archives") {
  const auto refused = [](const std::string& text) {
    return error_of([&] { read_npz(bytes_of(text), "all.npz"); });
  };
  const std::string a = npy("<i4", "(2,)", raw<int32_t>({1, 2}));
  CHECK_EQ(refused(zip({{"a.npy", a}, {"a.npy", a}})), "it holds two arrays called 'a'");
  CHECK_EQ(refused(zip({{"readme.txt", "hello"}})), "its entry 'readme.txt' is not an array");
  CHECK_NE(refused("no zip archive"), "no error");
  CHECK_NE(refused(""), "no error");

  std::string damaged = zip({{"a.npy", a, true}});
  const std::string whole = damaged;
  damaged[damaged.find("NUMPY") + 100] ^= 1;  // the checksum no longer holds
  CHECK_NE(refused(damaged), "no error");
  for (size_t length = 0; length + 1 < whole.find("PK\x01\x02"); ++length) {
    CAPTURE(length);
    CHECK_NE(refused(whole.substr(0, length)), "no error");
  }
}

TEST_CASE("an entry that is no .npy file is named with its archive") {
  const std::string text = zip({{"a.npy", "nonsense"}});
  try {
    read_npz(bytes_of(text), "all.npz");
    FAIL("no error");
  } catch (const Error& error) {
    CHECK_EQ(error.diagnostic().message, "cannot read the inputs 'all.npz:a.npy'");
  }
}

TEST_CASE("missing files") {
  CHECK_EQ(error_of([] { read_npy(std::filesystem::path("/nonexistent.npy")); }),
           "No such file or directory");
  CHECK_EQ(error_of([] { read_npz(std::filesystem::path("/nonexistent.npz")); }),
           "No such file or directory");
}

}  // namespace t2n::nnef
