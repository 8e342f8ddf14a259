// SPDX-License-Identifier: Apache-2.0
// Reads the header, a Python dict in a line of text (NumPy's NEP 1), then checks and copies the
// values.
#include "src/nnef/npy.h"

#include <bit>
#include <charconv>
#include <cstring>
#include <fstream>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "src/diag/error.h"

namespace t2n::nnef {
namespace {

using ir::DType;

static_assert(std::endian::native == std::endian::little, "values are read as stored in the file");

constexpr std::string_view kMagic = "\x93NUMPY";

struct NpyHeader {
  std::string type;  ///< "<f4": byte order, kind, bytes
  bool fortran_order = false;
  ir::Ints shape;
};

/// The subset of Python's literals that headers use.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, std::string_view origin) : text_(text), origin_(origin) {}

  NpyHeader run() {
    NpyHeader out;
    bool has_type = false, has_order = false, has_shape = false;
    expect('{');
    while (!take('}')) {
      const std::string_view key = string();
      expect(':');
      if (key == "descr" && !std::exchange(has_type, true))
        out.type = type();
      else if (key == "fortran_order" && !std::exchange(has_order, true))
        out.fortran_order = boolean();
      else if (key == "shape" && !std::exchange(has_shape, true))
        out.shape = sizes();
      else
        fail();
      if (!take(',') && !at('}')) fail();
    }
    if (!has_type || !has_order || !has_shape) fail();
    skip_blanks();
    if (!text_.empty()) fail();
    return out;
  }

 private:
  [[noreturn]] void fail() const { refuse_input(origin_, "its header is malformed"); }

  void skip_blanks() {
    const size_t blanks = std::min(text_.find_first_not_of(" \t\r\n"), text_.size());
    text_.remove_prefix(blanks);
  }
  bool at(char c) {
    skip_blanks();
    return text_.starts_with(c);
  }
  bool take(char c) {
    const bool found = at(c);
    if (found) text_.remove_prefix(1);
    return found;
  }
  void expect(char c) {
    if (!take(c)) fail();
  }
  bool take_keyword(std::string_view keyword) {
    skip_blanks();
    if (!text_.starts_with(keyword)) return false;
    text_.remove_prefix(keyword.size());
    return true;
  }

  std::string_view string() {
    const char quote = at('"') ? '"' : '\'';
    expect(quote);
    const size_t end = text_.find(quote);
    if (end == std::string_view::npos) fail();
    const std::string_view out = text_.substr(0, end);
    text_.remove_prefix(end + 1);
    return out;
  }
  std::string type() {
    if (at('[')) refuse_input(origin_, "it holds records of several fields", "save plain arrays");
    return std::string(string());
  }
  bool boolean() {
    if (take_keyword("True")) return true;
    if (take_keyword("False")) return false;
    fail();
  }
  int64_t size() {
    skip_blanks();
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (error != std::errc() || value < 0) fail();
    text_.remove_prefix(end - text_.data());
    take('L');  // as written by Python 2
    return value;
  }
  ir::Ints sizes() {
    ir::Ints out;
    expect('(');
    while (!take(')')) {
      out.push_back(size());
      if (!take(',') && !at(')')) fail();
    }
    return out;
  }

  std::string_view text_;
  std::string_view origin_;
};

std::optional<DType> dtype_of(std::string_view kind_and_bytes) {
  struct Row {
    std::string_view name;
    DType dtype;
  };
  constexpr Row kRows[] = {{"b1", DType::boolean}, {"u1", DType::u8},   {"u2", DType::u16},
                           {"u4", DType::u32},     {"u8", DType::u64},  {"i1", DType::i8},
                           {"i2", DType::i16},     {"i4", DType::i32},  {"i8", DType::i64},
                           {"f2", DType::f16},     {"f4", DType::f32},  {"f8", DType::f64},
                           {"c8", DType::c64},     {"c16", DType::c128}};
  for (const Row& row : kRows)
    if (row.name == kind_and_bytes) return row.dtype;
  return std::nullopt;
}

DType require_dtype(const std::string& type, std::string_view origin) {
  const bool has_order =
      !type.empty() && std::string_view("<>|=").find(type[0]) != std::string::npos;
  const std::string_view kind = std::string_view(type).substr(has_order ? 1 : 0);
  if (kind.starts_with('O'))
    refuse_input(origin, "it holds Python objects", "save it with a numeric dtype");
  const auto dtype = dtype_of(kind);
  if (!dtype)
    refuse_input(origin, cat("its values are of type ", quoted(type)),
                 "save it with a dtype that torch has, for example x.astype('float32')");
  if (type[0] == '>' && ir::dtype_size(*dtype) > 1)
    refuse_input(origin, "its values are big endian", cat("save it as x.astype('<", kind, "')"));
  return *dtype;
}

/// Nothing if even the strides would overflow.
std::optional<size_t> byte_count(const ir::Ints& shape, DType dtype) {
  bool empty = false;
  int64_t total = ir::dtype_size(dtype);
  for (const int64_t size : shape) {
    empty |= size == 0;
    if (size > 0 && __builtin_mul_overflow(total, size, &total)) return std::nullopt;
  }
  return empty ? 0 : static_cast<size_t>(total);
}

uint32_t little_endian(std::string_view bytes) {
  uint32_t out = 0;
  for (size_t i = bytes.size(); i-- > 0;) out = out << 8 | static_cast<unsigned char>(bytes[i]);
  return out;
}

/// The text of the header; the values follow it.
std::string_view header_text(std::string_view file, std::string_view origin) {
  if (!file.starts_with(kMagic)) refuse_input(origin, "it does not start like a .npy file");
  if (file.size() < 8) refuse_input(origin, "it ends in its header");
  const int version = static_cast<unsigned char>(file[6]);
  if (version < 1 || version > 3) refuse_input(origin, cat("its format version is ", version));
  const size_t start = version == 1 ? 10 : 12;
  if (file.size() < start) refuse_input(origin, "it ends in its header");
  const uint32_t length = little_endian(file.substr(8, start - 8));
  if (length > file.size() - start) refuse_input(origin, "it ends in its header");
  return file.substr(start, length);
}

/// Strides of an array whose first axis is the fastest.
ir::Ints fortran_strides(const ir::Ints& shape) {
  ir::Ints strides;
  int64_t stride = 1;
  for (const int64_t size : shape) {
    strides.push_back(stride);
    stride *= size;
  }
  return strides;
}

}  // namespace

void refuse_input(std::string_view origin, std::string why, std::string help) {
  throw Error("input-unreadable", cat("cannot read the inputs ", quoted(origin)), std::move(why),
              std::move(help));
}

ir::Tensor read_npy(std::span<const std::byte> bytes, std::string_view origin) {
  const std::string_view file(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const std::string_view text = header_text(file, origin);
  const NpyHeader header = HeaderParser(text, origin).run();
  const DType dtype = require_dtype(header.type, origin);
  const size_t start = text.data() + text.size() - file.data();
  const size_t present = bytes.size() - start;
  const auto needed = byte_count(header.shape, dtype);
  if (needed != present)
    refuse_input(origin, cat("its shape ", ir::shape_str(ir::to_shape(header.shape)), " of ",
                             ir::dtype_name(dtype), " does not match the ", present,
                             " bytes that follow its header"));
  ir::OwnedTensor out = ir::allocate(dtype, header.shape);
  if (present > 0) std::memcpy(out.data.data(), bytes.data() + start, present);
  if (dtype == DType::boolean)
    for (std::byte& value : out.data) value = value != std::byte{0} ? std::byte{1} : std::byte{0};
  if (!header.fortran_order) return out.tensor;
  out.tensor.strides = fortran_strides(header.shape);
  return ir::contiguous(out.tensor);
}

ir::Tensor read_npy(const std::filesystem::path& path) {
  return read_npy(read_input_file(path), path.string());
}

std::vector<std::byte> read_input_file(const std::filesystem::path& path) {
  const std::string name = path.string();
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  if (error) refuse_input(name, error.message());
  std::vector<std::byte> bytes(size);
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!file) refuse_input(name, "it cannot be read to its end");
  return bytes;
}

}  // namespace t2n::nnef
