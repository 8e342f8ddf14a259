// SPDX-License-Identifier: Apache-2.0
// Arrays of every dtype and rank through a file and back, and files that cannot be written.
#include <cstring>

#include "nnef_writer/npz.h"
#include "src/diag/error.h"
#include "src/nnef/npz.h"
#include "tests/nnef_writer/support.h"

namespace t2n::nnef {
namespace {

using ir::DType;

/// Bytes that differ, whatever they mean; booleans are 0 and 1.
ir::Tensor some_tensor(DType dtype, const ir::Ints& shape) {
  ir::OwnedTensor out = ir::allocate(dtype, shape);
  for (size_t i = 0; i < out.data.size(); ++i)
    out.data[i] = static_cast<std::byte>(dtype == DType::boolean ? i % 2 : (i * 37 + 1) % 120);
  return out.tensor;
}

void check_same(const std::vector<NamedTensor>& read, const std::vector<NamedTensor>& written) {
  REQUIRE_EQ(read.size(), written.size());
  for (size_t i = 0; i < read.size(); ++i) {
    CAPTURE(written[i].name);
    CHECK_EQ(read[i].name, written[i].name);
    CHECK(ir::same_values(read[i].value, written[i].value));
  }
}

TEST_CASE("every dtype at every rank comes back") {
  const Scratch scratch;
  std::vector<NamedTensor> arrays;
  for (int i = 0; i <= static_cast<int>(DType::c128); ++i) {
    const auto dtype = static_cast<DType>(i);
    if (dtype == DType::bf16) continue;
    for (const ir::Ints& shape : {ir::Ints{}, {3}, {0}, {2, 3}, {2, 0, 3}, {1, 2, 3, 4, 5}})
      arrays.push_back({cat(ir::dtype_name(dtype), ir::shape_str(ir::to_shape(shape))),
                        some_tensor(dtype, shape)});
  }
  write_npz(arrays, scratch / "a.npz");
  check_same(read_npz(scratch / "a.npz"), arrays);
}

TEST_CASE("strided values, names of any kind, and no array at all") {
  const Scratch scratch;
  ir::Tensor transposed = some_tensor(DType::f32, {2, 3});
  transposed.shape = {3, 2};
  transposed.strides = {1, 3};
  const std::vector<NamedTensor> arrays = {{"encoder.layer/0", transposed},
                                           {"", some_tensor(DType::u8, {1})}};
  write_npz(arrays, scratch / "a.npz");
  check_same(read_npz(scratch / "a.npz"),
             {{"encoder.layer/0", ir::contiguous(transposed)}, arrays[1]});
  write_npz({}, scratch / "none.npz");
  CHECK(read_npz(scratch / "none.npz").empty());
}

TEST_CASE("names beyond ASCII are UTF-8, and the file says so") {
  const Scratch scratch;
  write_npz(std::vector<NamedTensor>{{"h\xc3\xa9", some_tensor(DType::u8, {1})}},
            scratch / "a.npz");
  const std::string bytes = content(scratch / "a.npz");
  CHECK_EQ(static_cast<unsigned char>(bytes[7]), 0x08);  // bit 11 of the flags
  CHECK_EQ(bytes.find("h\xc3\xa9.npy"), 30);
}

TEST_CASE("large arrays") {
  const Scratch scratch;
  const std::vector<NamedTensor> arrays = {{"x", some_tensor(DType::f32, {3, 1 << 20})}};
  write_npz(arrays, scratch / "a.npz");
  check_same(read_npz(scratch / "a.npz"), arrays);
}

TEST_CASE("the same arrays give the same bytes, in place of what was there") {
  const Scratch scratch;
  const std::vector<NamedTensor> arrays = {{"x", some_tensor(DType::f32, {2, 3})},
                                           {"y", some_tensor(DType::f16, {})}};
  write_text(scratch / "b.npz", "an older file");
  write_npz(arrays, scratch / "a.npz");
  write_npz(arrays, scratch / "b.npz");
  CHECK(content(scratch / "a.npz") == content(scratch / "b.npz"));
  CHECK_EQ(scratch.entries().size(), 2);
  const std::string bytes = content(scratch / "a.npz");
  const size_t header = bytes.find("\x93NUMPY");
  REQUIRE_NE(header, std::string::npos);
  CHECK_EQ(bytes.substr(header + 10, 59),
           "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }");
  CHECK_NE(bytes.find("'shape': (), }"), std::string::npos);
}

TEST_CASE("a failed write leaves no file") {
  const Scratch scratch;
  const auto refusal = [&](DType dtype, const std::string& name) -> std::string {
    try {
      write_npz(std::vector<NamedTensor>{{"y", some_tensor(dtype, {2})}}, scratch / name);
    } catch (const Error& error) {
      return std::string(error.diagnostic().id) + ": " + error.diagnostic().message;
    }
    return "written";
  };
  CHECK_EQ(refusal(DType::bf16, "a.npz"),
           "unsupported-dtype: 'y' is bf16, which an .npz file cannot hold");
  CHECK_EQ(refusal(DType::f32, "nowhere/a.npz"),
           cat("cannot-write: cannot write '", (scratch / "nowhere/a.npz").string(), "'"));
  std::filesystem::create_directory(scratch / "folder");
  CHECK_EQ(refusal(DType::f32, "folder"),
           cat("cannot-write: cannot write '", (scratch / "folder").string(), "'"));
  CHECK_EQ(scratch.entries(), std::vector<std::string>{"folder"});
}

}  // namespace
}  // namespace t2n::nnef
