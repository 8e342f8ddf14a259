// SPDX-License-Identifier: Apache-2.0
// A header of text, padded so that the values are aligned (NumPy's NEP 1), then the values.
#include "nnef_writer/npz.h"

#include "nnef_writer/archive_stream.h"
#include "nnef_writer/output.h"
#include "src/diag/error.h"

namespace t2n::nnef {
namespace {

using ir::DType;

/// NumPy's name of the type: byte order, kind, bytes.
std::string_view descr(DType dtype) {
  switch (dtype) {
    case DType::boolean: return "|b1";
    case DType::u8: return "|u1";
    case DType::u16: return "<u2";
    case DType::u32: return "<u4";
    case DType::u64: return "<u8";
    case DType::i8: return "|i1";
    case DType::i16: return "<i2";
    case DType::i32: return "<i4";
    case DType::i64: return "<i8";
    case DType::f16: return "<f2";
    case DType::bf16: return "";
    case DType::f32: return "<f4";
    case DType::f64: return "<f8";
    case DType::c64: return "<c8";
    case DType::c128: return "<c16";
  }
  internal_error(__FILE__, __LINE__, "no such dtype");
}

/// "(2, 3)", "(2,)", "()"
std::string python_tuple(const ir::Ints& sizes) {
  std::string out;
  for (const int64_t size : sizes) out += cat(out.empty() ? "" : " ", size, ",");
  if (sizes.size() > 1) out.pop_back();
  return cat("(", out, ")");
}

std::string npy_header(const ir::Tensor& tensor) {
  constexpr size_t kPrefix = 10;
  constexpr size_t kAlignment = 64;
  std::string text = cat("{'descr': '", descr(tensor.dtype),
                         "', 'fortran_order': False, 'shape': ", python_tuple(tensor.shape), ", }");
  const size_t used = kPrefix + text.size() + 1;
  text += std::string((kAlignment - used % kAlignment) % kAlignment, ' ') + '\n';
  std::string out = "\x93NUMPY";
  for (const size_t byte : {size_t{1}, size_t{0}, text.size() % 256, text.size() / 256})
    out += static_cast<char>(byte);
  return out + text;
}

Member member_of(const NamedTensor& array) {
  if (descr(array.value.dtype).empty())
    throw Error("unsupported-dtype",
                cat(quoted(array.name), " is ", ir::dtype_name(array.value.dtype),
                    ", which an .npz file cannot hold"));
  const std::string header = npy_header(array.value);
  const int64_t values = array.value.elements() * ir::dtype_size(array.value.dtype);
  return {array.name + ".npy", static_cast<int64_t>(header.size()) + values,
          [header, value = array.value](const ByteSink& sink) {
            constexpr size_t kAtOnce = size_t{1} << 20;
            sink(std::as_bytes(std::span(header)));
            ir::for_each_chunk(value, kAtOnce, sink);
          }};
}

void add_arrays(std::span<const NamedTensor> arrays, const ByteSink& sink) {
  std::vector<Member> members;
  for (const NamedTensor& array : arrays) members.push_back(member_of(array));
  ArchiveStream zip(ArchiveStream::Format::zip, sink);
  for (const Member& member : members) zip.add(member);
  zip.finish();
}

}  // namespace

std::string npz_bytes(std::span<const NamedTensor> arrays) {
  std::string out;
  add_arrays(arrays, [&](std::span<const std::byte> bytes) {
    out.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  });
  return out;
}

void write_npz(std::span<const NamedTensor> arrays, const std::filesystem::path& path) {
  write_npz(arrays, file_destination(path));
}

void write_npz(std::span<const NamedTensor> arrays, const Destination& destination) {
  write_file(destination, [&](FileWriter& file) {
    add_arrays(arrays, [&](std::span<const std::byte> bytes) { file.write(bytes); });
  });
}

}  // namespace t2n::nnef
