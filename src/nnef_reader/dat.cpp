// Reads the 128-byte header (NNEF 1.0.5 §5.3), checks it against the file's size, then the values.
#include "src/nnef_reader/dat.h"

#include <array>
#include <bit>
#include <cerrno>
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

constexpr size_t kHeader = 128;
constexpr uint32_t kMaxRank = 8;

static_assert(std::endian::native == std::endian::little,
              "values are read as they lie in the file");

struct Layout {
  DType dtype = DType::f32;
  ir::Ints shape;
  bool bit_packed = false;
  size_t length = 0;  ///< bytes of the values
};

[[noreturn]] void fail(std::string_view origin, std::string why) {
  throw Error("nnef-syntax", cat(quoted(origin), " is no tensor that t2nnef can read"),
              std::move(why));
}

uint32_t word(std::span<const std::byte> header, size_t offset) {
  uint32_t out = 0;
  std::memcpy(&out, header.data() + offset, sizeof out);
  return out;
}

std::optional<DType> integer_dtype(bool is_signed, uint32_t bits) {
  switch (bits) {
    case 8: return is_signed ? DType::i8 : DType::u8;
    case 16: return is_signed ? DType::i16 : DType::u16;
    case 32: return is_signed ? DType::i32 : DType::u32;
    case 64: return is_signed ? DType::i64 : DType::u64;
    default: return std::nullopt;
  }
}

std::optional<DType> float_dtype(uint32_t bits) {
  switch (bits) {
    case 16: return DType::f16;
    case 32: return DType::f32;
    case 64: return DType::f64;
    default: return std::nullopt;
  }
}

/// `type` holds the vendor in its upper half, so that other vendors' types have no row here.
std::optional<DType> item_dtype(uint32_t type, uint32_t bits, bool legacy_sign) {
  switch (type) {
    case 0: return float_dtype(bits);
    case 1: return integer_dtype(legacy_sign, bits);  // NNEF before 1.0.4
    case 2: return integer_dtype(false, bits);
    case 3:
    case 4: return integer_dtype(true, bits);
    case 5: return bits == 1 || bits == 8 ? std::optional(DType::boolean) : std::nullopt;
    default: return std::nullopt;
  }
}

/// Nothing where even the strides would overflow.
std::optional<size_t> byte_count(const ir::Ints& shape, uint32_t bits) {
  bool empty = false;
  int64_t total = bits;
  for (const int64_t size : shape) {
    empty |= size == 0;
    if (size > 0 && __builtin_mul_overflow(total, size, &total)) return std::nullopt;
  }
  return empty ? 0 : static_cast<size_t>(total / 8 + (total % 8 != 0 ? 1 : 0));
}

/// `size` is that of the whole file.
Layout read_header(std::span<const std::byte> header, size_t size, std::string_view origin) {
  if (size < kHeader) fail(origin, cat("it has ", size, " bytes, less than a header"));
  if (word(header, 0) != 0x0001EF4E) fail(origin, "it does not begin with 4E EF 01 00");
  const uint32_t rank = word(header, 8);
  if (rank > kMaxRank) fail(origin, cat("it claims ", rank, " dimensions, at most 8 are allowed"));
  const uint32_t bits = word(header, 44);
  const uint32_t type = word(header, 48);
  const auto dtype = item_dtype(type, bits, word(header, 52) != 0);
  if (!dtype) fail(origin, cat("its items are of type ", type, " with ", bits, " bits"));
  Layout out{*dtype, {}, bits == 1, word(header, 4)};
  for (size_t i = 0; i < rank; ++i) out.shape.push_back(word(header, 12 + 4 * i));
  if (byte_count(out.shape, bits) != out.length)
    fail(origin, cat("its shape does not take the ", out.length, " bytes it claims"));
  if (size != kHeader + out.length)
    fail(origin, cat("it has ", size, " bytes where its header promises ", kHeader + out.length));
  return out;
}

/// Bits, the first in the highest bit of a byte, to a byte each.
void unpack(std::span<const std::byte> bits, std::span<std::byte> booleans) {
  for (size_t i = 0; i < booleans.size(); ++i)
    booleans[i] = (bits[i / 8] >> (7 - i % 8)) & std::byte{1};
}

template <typename ReadValues>
ir::Tensor read_values(const Layout& layout, ReadValues read) {
  ir::OwnedTensor out = ir::allocate(layout.dtype, layout.shape);
  if (layout.bit_packed) {
    std::vector<std::byte> bits(layout.length);
    read(std::span(bits));
    unpack(bits, out.data);
  } else {
    read(out.data);
  }
  if (layout.dtype == DType::boolean)
    for (std::byte& value : out.data) value = value != std::byte{0} ? std::byte{1} : std::byte{0};
  return std::move(out.tensor);
}

}  // namespace

ir::Tensor read_dat(std::span<const std::byte> bytes, std::string_view origin) {
  return read_values(read_header(bytes, bytes.size(), origin), [&](std::span<std::byte> out) {
    if (!out.empty()) std::memcpy(out.data(), bytes.data() + kHeader, out.size());
  });
}

ir::Tensor read_dat(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  std::error_code error;
  const auto size = static_cast<size_t>(std::filesystem::file_size(path, error));
  if (error) fail(name, error.message());
  std::ifstream file(path, std::ios::binary);
  const auto read = [&](std::span<std::byte> out) {
    file.read(reinterpret_cast<char*>(out.data()), static_cast<std::streamsize>(out.size()));
    if (!file) fail(name, "it cannot be read to its end");
  };
  std::array<std::byte, kHeader> header{};
  if (size >= kHeader) read(header);
  return read_values(read_header(header, size, name), read);
}

}  // namespace t2n::nnef
