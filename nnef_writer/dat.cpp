// SPDX-License-Identifier: Apache-2.0
// Streams a blob through stages: walk the parts, cast, pack bits, buffer small pieces.
#include "nnef_writer/dat.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "ir/cast.h"
#include "src/diag/error.h"
#include "src/nnef/item_type.h"

namespace t2n::nnef {
namespace {

using ir::DType;
using ir::Ints;
using ir::Tensor;

constexpr size_t kChunk = size_t{1} << 20;
constexpr size_t kHeader = 128;
constexpr size_t kMaxRank = 8;
constexpr int64_t kMaxBytes = std::numeric_limits<uint32_t>::max();

// tract's own item type, with the vendor in the upper half. 4.5 bits per value have no integer
// bit count.
constexpr int64_t kTractQ4 = 0x54523040;
constexpr int64_t kNoBits = std::numeric_limits<uint32_t>::max();

static_assert(std::endian::native == std::endian::little, "values are written as stored in memory");

bool is_storable(DType dtype) { return !ir::is_complex(dtype) && dtype != DType::bf16; }

ItemType item_type(const Blob& blob) {
  if (blob.dtype == DType::boolean) return kBoolean;
  if (ir::is_float(blob.dtype)) return kFloat;
  if (blob.dtype >= DType::i8) return blob.quantised ? kQuantisedSigned : kSigned;
  return blob.quantised ? kQuantisedUnsigned : kUnsigned;
}

bool is_packed(const Blob& blob) { return blob.bit_packed && blob.dtype == DType::boolean; }

int64_t bits_per_item(const Blob& blob) {
  return is_packed(blob) ? 1 : 8 * ir::dtype_size(blob.dtype);
}

/// Bytes of the values; more than the format holds if the count overflows.
int64_t data_size(const Blob& blob) {
  if (blob.q4_0) return ir::element_count(blob.parts.at(0).shape);
  int64_t bits = bits_per_item(blob);
  for (const int64_t size : blob.shape) {
    T2N_ASSERT(size >= 0, quoted(blob.label), " has a size of ", size);
    if (size == 0) return 0;
  }
  for (const int64_t size : blob.shape)
    if (__builtin_mul_overflow(bits, size, &bits)) return std::numeric_limits<int64_t>::max() / 2;
  return bits / 8 + (bits % 8 != 0 ? 1 : 0);
}

[[noreturn]] void refuse_dtype(const Blob& blob, DType dtype) {
  throw Error("unsupported-dtype",
              cat("tensor ", quoted(blob.label), " is ", ir::dtype_name(dtype),
                  ", which no .dat file can hold"),
              "NNEF stores floats of 16 (IEEE half), 32 and 64 bits, integers and booleans",
              ir::is_complex(dtype) ? "split it into real and imaginary parts before exporting"
                                    : "convert the model with model.float() or model.half()");
}

void check_blocks(const Blob& blob) {
  constexpr int64_t kValues = 32, kBytes = 18;
  T2N_ASSERT(blob.parts.size() == 1 && blob.parts[0].dtype == DType::u8 && blob.shape.size() >= 2 &&
                 blob.parts[0].elements() * kValues == ir::element_count(blob.shape) * kBytes &&
                 blob.parts[0].shape.at(0) == blob.shape[0],
             quoted(blob.label), " has blocks that do not match its shape");
}

void check_geometry(const Blob& blob) {
  T2N_ASSERT(!blob.parts.empty(), quoted(blob.label), " has no values");
  const size_t axis = blob.axis;
  Ints joined = blob.parts[0].shape;
  for (size_t i = 0; i < blob.parts.size(); ++i) {
    const Tensor& part = blob.parts[i];
    T2N_ASSERT(part.strides.size() == part.shape.size(), quoted(blob.label), " lacks strides");
    if (blob.parts.size() == 1) break;
    T2N_ASSERT(axis < part.shape.size() && part.shape.size() == joined.size(), quoted(blob.label),
               " cannot be joined along axis ", axis);
    if (i > 0) joined[axis] += part.shape[axis];
    for (size_t k = 0; k < joined.size(); ++k)
      T2N_ASSERT(k == axis || part.shape[k] == joined[k], quoted(blob.label), ": part ", i,
                 " differs on axis ", k);
  }
  T2N_ASSERT(joined == blob.shape, "the parts of ", quoted(blob.label),
             " do not make up its shape");
}

std::array<std::byte, kHeader> header(const Blob& blob) {
  std::array<std::byte, kHeader> out{};
  const auto put = [&](size_t offset, int64_t value) {
    const auto word = static_cast<uint32_t>(value);
    std::memcpy(out.data() + offset, &word, sizeof word);
  };
  put(0, 0x0001EF4E);  // the magic bytes 4E EF, version 1.0
  put(4, data_size(blob));
  put(8, static_cast<int64_t>(blob.shape.size()));
  for (size_t i = 0; i < blob.shape.size(); ++i) put(12 + 4 * i, blob.shape[i]);
  put(44, blob.q4_0 ? kNoBits : bits_per_item(blob));
  put(48, blob.q4_0 ? kTractQ4 : int64_t{item_type(blob)});
  return out;
}

/// The values at index `outer` of the axes before `axis`, row-major, as a separate tensor.
Tensor slab(const Tensor& part, size_t axis, int64_t outer) {
  int64_t offset = 0;
  for (size_t i = axis; i-- > 0;) {
    offset += outer % part.shape[i] * part.strides[i];
    outer /= part.shape[i];
  }
  Tensor out = part;
  out.shape.erase(out.shape.begin(), out.shape.begin() + static_cast<ptrdiff_t>(axis));
  out.strides.erase(out.strides.begin(), out.strides.begin() + static_cast<ptrdiff_t>(axis));
  if (out.elements() > 0) out.bytes = part.bytes.subspan(offset * ir::dtype_size(part.dtype));
  return out;
}

/// Buffers small pieces for later stages; large ones pass through.
class Gather {
 public:
  explicit Gather(const ByteSink& next) : next_(next) {}

  void write(std::span<const std::byte> bytes) {
    const bool passes = bytes.size() >= kChunk / 4;  // after the buffered bytes
    if (passes || buffer_.size() + bytes.size() > kChunk) flush();
    if (passes) return next_(bytes);
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  }
  void flush() {
    if (!buffer_.empty()) next_(buffer_);
    buffer_.clear();
  }

 private:
  const ByteSink& next_;
  std::vector<std::byte> buffer_;
};

/// Booleans as a stream of bits; the first is the highest bit of a byte.
class BitPacker {
 public:
  explicit BitPacker(const ByteSink& next) : next_(next) {}

  void write(std::span<const std::byte> booleans) {
    std::vector<std::byte> out;
    out.reserve(booleans.size() / 8 + 1);
    for (const std::byte value : booleans) {
      byte_ = static_cast<uint8_t>(byte_ << 1U) | (value != std::byte{0} ? 1U : 0U);
      if (++filled_ < 8) continue;
      out.push_back(static_cast<std::byte>(byte_));
      byte_ = 0;
      filled_ = 0;
    }
    if (!out.empty()) next_(out);
  }
  void finish() {
    if (filled_ == 0) return;
    const auto last = static_cast<std::byte>(byte_ << (8 - filled_));
    next_(std::span(&last, 1));
  }

 private:
  const ByteSink& next_;
  unsigned byte_ = 0;
  unsigned filled_ = 0;
};

void write_part(const Blob& blob, const Tensor& part, const ByteSink& sink) {
  if (part.dtype == blob.dtype || blob.q4_0) return for_each_chunk(part, kChunk, sink);
  const size_t from_size = ir::dtype_size(part.dtype);
  const size_t to_size = ir::dtype_size(blob.dtype);
  std::vector<std::byte> out;
  for_each_chunk(part, kChunk, [&](std::span<const std::byte> in) {
    out.resize(in.size() / from_size * to_size);
    if (ir::cast_elements(part.dtype, in, blob.dtype, out))
      throw Error("unsupported-dtype",
                  cat("a value of tensor ", quoted(blob.label), " (", ir::dtype_name(part.dtype),
                      ") does not fit ", ir::dtype_name(blob.dtype)),
                  "wrapping it around would change what the model computes");
    sink(out);
  });
}

/// All values, in row-major order of the joined tensor.
void write_values(const Blob& blob, const ByteSink& sink) {
  if (blob.parts.size() == 1) return write_part(blob, blob.parts[0], sink);
  const size_t axis = blob.axis;
  int64_t outer = 1;
  for (size_t i = 0; i < axis; ++i) outer *= blob.shape[i];
  for (int64_t i = 0; i < outer; ++i)
    for (const Tensor& part : blob.parts) write_part(blob, slab(part, axis, i), sink);
}

}  // namespace

void check_dat(const Blob& blob) {
  if (!is_storable(blob.dtype)) refuse_dtype(blob, blob.dtype);
  if (blob.q4_0)
    check_blocks(blob);
  else
    check_geometry(blob);
  for (const Tensor& part : blob.parts)
    if (ir::is_complex(part.dtype)) refuse_dtype(blob, part.dtype);
  if (blob.shape.size() > kMaxRank)
    throw Error("unsupported-output",
                cat("tensor ", quoted(blob.label), " has ", blob.shape.size(), " dimensions"),
                cat("a .dat file holds at most ", kMaxRank));
  const bool wide = std::any_of(blob.shape.begin(), blob.shape.end(),
                                [](int64_t size) { return size > kMaxBytes; });
  if (wide || data_size(blob) > kMaxBytes)
    throw Error("unsupported-output",
                cat("tensor ", quoted(blob.label), " takes ", data_size(blob) >> 20, " MiB"),
                "a .dat file holds less than 4 GiB: its length is a 32-bit number",
                "split the weight into several tensors, or store it in half precision");
}

int64_t dat_size(const Blob& blob) { return static_cast<int64_t>(kHeader) + data_size(blob); }

void write_dat(const Blob& blob, const ByteSink& sink) {
  check_dat(blob);
  sink(header(blob));
  int64_t written = 0;
  const ByteSink counted = [&](std::span<const std::byte> bytes) {
    written += static_cast<int64_t>(bytes.size());
    sink(bytes);
  };
  Gather gather(counted);
  const ByteSink gathered = [&](std::span<const std::byte> bytes) { gather.write(bytes); };
  BitPacker packer(gathered);
  if (is_packed(blob)) {
    write_values(blob, [&](std::span<const std::byte> bytes) { packer.write(bytes); });
    packer.finish();
  } else {
    write_values(blob, gathered);
  }
  gather.flush();
  T2N_ASSERT(written == data_size(blob), quoted(blob.label), " came out as ", written, " bytes");
}

}  // namespace t2n::nnef
