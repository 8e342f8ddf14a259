// SPDX-License-Identifier: Apache-2.0
// Reads the 128-byte header (NNEF 1.0.5 §5.2), checks it against the file's size, then the values.
#include "src/nnef/dat.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

#include "src/diag/error.h"
#include "src/nnef/item_type.h"
#include "src/nnef/items.h"

namespace t2n::nnef {
namespace {

using ir::DType;
using Bytes = std::span<const std::byte>;

constexpr size_t kHeader = 128;
constexpr uint32_t kMaxRank = 8;
constexpr uint32_t kMaxBits = 64;
constexpr uint32_t kNoBits = std::numeric_limits<uint32_t>::max();  // in tract: not an integer

static_assert(std::endian::native == std::endian::little, "values are read as stored in the file");

/// Item types not in the current standard; the vendor is in the upper half, as in the file.
enum OtherItemType : uint32_t {
  kLinear = 0x10,  // until NNEF 1.0.2; 1.0.3 has the standard's codes in another base
  kLogarithmic = 0x11,
  kSigned103 = 0x100,
  kBoolean103 = 0x101,
  kTractComplex = 0x54520000,
  kTractString = 0x54521000,
  kTractQ4Pairs = 0x54522040,
  kTractQ4 = 0x54523040,
  kTractQ8Read = 0x54523080,   // what tract reads
  kTractQ8Wrote = 0x54523081,  // what tract writes
};

struct DatHeader {
  ir::Ints shape;
  uint32_t bits = 0;
  uint32_t type = 0;
  uint32_t sign = 0;  ///< deprecated parameters: for kUnsigned,
  float minimum = 0;  ///< for quantised types
  float maximum = 0;
  size_t length = 0;
};

/// How to decode a tensor, and the number of bytes needed.
struct Plan {
  std::string item;
  int bits = 0;
  bool quantised = false;
  std::optional<int64_t> length;  ///< nothing if it overflows
  std::optional<DType> plain;     ///< the bytes are the values
  std::function<ir::Tensor(Bytes)> decode;
};

class Reader {
 public:
  Reader(const Content& file, std::string_view origin) : file_(file), origin_(origin) {
    read_header();
  }

  StoredTensor run() const {
    Plan plan = this->plan();
    if (plan.length != static_cast<int64_t>(header_.length))
      fail(cat("its shape does not match the ", header_.length, " bytes it claims"));
    if (file_.bytes.size() != kHeader + header_.length)
      fail(cat("it has ", file_.bytes.size(), " bytes where its header promises ",
               kHeader + header_.length));
    const Bytes values = file_.bytes.subspan(kHeader);
    return {{},
            plan.plain ? view(values, *plan.plain) : plan.decode(values),
            std::move(plan.item),
            plan.bits,
            plan.quantised};
  }

 private:
  [[noreturn]] void fail(std::string why, std::string help = {}) const {
    throw Error("nnef-syntax", cat(quoted(origin_), " is not a tensor that t2nnef can read"),
                std::move(why), std::move(help));
  }

  template <typename T>
  T field(size_t offset) const {
    T out;
    std::memcpy(&out, file_.bytes.data() + offset, sizeof out);
    return out;
  }

  void read_header() {
    const size_t size = file_.bytes.size();
    if (size < kHeader) fail(cat("it has ", size, " bytes, less than a header"));
    if (field<uint32_t>(0) != 0x0001EF4E) fail("it does not begin with 4E EF 01 00");
    const auto rank = field<uint32_t>(8);
    if (rank > kMaxRank) fail(cat("it claims ", rank, " dimensions, at most 8 are allowed"));
    for (size_t i = 0; i < rank; ++i) header_.shape.push_back(field<uint32_t>(12 + 4 * i));
    header_.length = field<uint32_t>(4);
    header_.bits = field<uint32_t>(44);
    header_.type = field<uint32_t>(48);
    header_.sign = field<uint32_t>(52);
    header_.minimum = field<float>(52);
    header_.maximum = field<float>(56);
  }

  /// Nothing if even the strides would overflow.
  std::optional<int64_t> elements() const {
    bool empty = false;
    int64_t total = 1;
    for (const int64_t size : header_.shape) {
      empty |= size == 0;
      if (size > 0 && __builtin_mul_overflow(total, size, &total)) return std::nullopt;
    }
    // Up to sixteen bytes per element must not overflow either.
    if (total > std::numeric_limits<int64_t>::max() / 128) return std::nullopt;
    return empty ? 0 : total;
  }

  /// Bytes of elements with this number of bits.
  std::optional<int64_t> packed(int bits) const {
    const auto count = elements();
    if (!count) return std::nullopt;
    return (*count * bits + 7) / 8;
  }

  [[noreturn]] void refuse_type() const {
    const std::string bits = header_.bits == kNoBits ? "" : cat(" with ", header_.bits, " bits");
    if (header_.type == kTractString) fail("its items are strings");
    if (header_.type >> 16U == 0) fail(cat("its items are of type ", header_.type, bits));
    fail(cat("its items are of type ", header_.type & 0xffffU, " of the vendor ",
             header_.type >> 16U, bits));
  }

  bool has_parameters() const { return header_.minimum != 0 || header_.maximum != 0; }

  Plan plan() const {
    switch (header_.type) {
      case kFloat: return floats(false);
      case kUnsigned: return integers(header_.sign != 0, false);  // NNEF before 1.0.3
      case kQuantisedUnsigned:
      case kQuantisedSigned: return codes(header_.type == kQuantisedSigned);
      case kSigned:
      case kSigned103: return integers(true, false);
      case kBoolean:
      case kBoolean103: return booleans();
      case kLinear: return has_parameters() ? linear() : codes(false);
      case kLogarithmic: return has_parameters() ? logarithmic() : codes(true);
      case kTractComplex: return floats(true);
      case kTractQ4Pairs: return blocks("q4_0 in pairs", 4, BlockFormat::q4_0_pairs);
      case kTractQ4: return blocks("q4_0", 4, BlockFormat::q4_0);
      case kTractQ8Read:
      case kTractQ8Wrote: return blocks("q8_1", 8, BlockFormat::q8_1);
      default: refuse_type();
    }
  }

  Plan plain(DType dtype, bool quantised = false) const {
    const int bits = static_cast<int>(8 * ir::dtype_size(dtype));
    return {cat(ir::dtype_name(dtype), quantised ? " quantised" : ""),
            bits,
            quantised,
            packed(bits),
            dtype,
            {}};
  }

  Plan floats(bool complex) const {
    switch (header_.bits) {
      case 16:
        if (!complex) return plain(DType::f16);
        break;
      case 32:
        if (!complex) return plain(DType::f32);
        break;
      case 64: return plain(complex ? DType::c64 : DType::f64);
      case 128:
        if (complex) return plain(DType::c128);
        break;
      default: break;
    }
    refuse_type();
  }

  /// Integers of 1 to 64 bits; the dtype is the smallest that holds them.
  Plan integers(bool is_signed, bool quantised) const {
    if (header_.bits < 1 || header_.bits > kMaxBits) refuse_type();
    const int bits = static_cast<int>(header_.bits);
    if (bits > 8 && bits % 8 != 0)
      fail(cat("its integers have ", bits,
               " bits, and the specification does not define their order"),
           "store them with a multiple of 8 bits");
    const DType dtype = bits <= 8    ? (is_signed ? DType::i8 : DType::u8)
                        : bits <= 16 ? (is_signed ? DType::i16 : DType::u16)
                        : bits <= 32 ? (is_signed ? DType::i32 : DType::u32)
                                     : (is_signed ? DType::i64 : DType::u64);
    if (bits == 8 * ir::dtype_size(dtype)) return plain(dtype, quantised);
    return {
        cat(is_signed ? "i" : "u", bits, quantised ? " quantised" : ""),
        bits,
        quantised,
        packed(bits),
        {},
        [=, this](Bytes bytes) { return widened(bytes, bits, is_signed, dtype, header_.shape); }};
  }

  Plan codes(bool is_signed) const {
    if (!has_parameters()) return integers(is_signed, true);
    fail("its header has quantisation parameters, which NNEF 1.0.4 removed",
         "describe the quantisation in graph.quant, and write zeros here");
  }

  Plan booleans() const {
    if (header_.bits == 1)
      return {"bool packed", 1, false, packed(1), {}, [this](Bytes bytes) {
                return widened(bytes, 1, false, DType::boolean, header_.shape);
              }};
    if (header_.bits != 8) refuse_type();
    return {"bool",    8,  false,
            packed(8), {}, [this](Bytes bytes) {
              return nnef::booleans(bytes, header_.shape); }};
  }

  /// Quantised integers with parameters in the header, as in NNEF 1.0 to 1.0.2.
  Plan with_header_range(std::string_view name, uint32_t max_bits,
                         std::function<ir::Tensor(const ir::Tensor&, int)> decode) const {
    if (header_.bits > max_bits) refuse_type();
    if (!std::isfinite(header_.minimum) || !std::isfinite(header_.maximum))
      fail("its header gives a range that is not finite");
    Plan out = integers(false, false);
    const std::optional<DType> dtype = std::exchange(out.plain, std::nullopt);
    out.item = cat(name, out.bits);
    out.decode = [=, this, unpack = out.decode, bits = out.bits](Bytes bytes) {
      return decode(dtype ? view(bytes, *dtype) : unpack(bytes), bits);
    };
    return out;
  }

  Plan linear() const {
    return with_header_range("linear", 32, [this](const ir::Tensor& codes, int bits) {
      return nnef::linear(codes, bits, header_.minimum, header_.maximum);
    });
  }

  Plan logarithmic() const {
    if (header_.minimum != 0 || header_.maximum < 0)
      fail("its items are signed logarithms, and the specification does not define the sign bit",
           "store them as floats");
    return with_header_range("logarithmic", 16, [this](const ir::Tensor& codes, int bits) {
      return nnef::logarithmic(codes, bits, header_.maximum);
    });
  }

  /// Blocks run along the merged axes from the second on.
  Plan blocks(std::string item, int bits, BlockFormat format) const {
    const ir::Ints& shape = header_.shape;
    const auto count = elements();
    if (shape.size() < 2) fail(cat("its items are ", item, ", which needs two dimensions"));
    const int64_t row = shape[0] == 0 || !count ? 0 : *count / shape[0];
    if (row % kBlockValues != 0)
      fail(cat("its items are ", item, ", which needs rows of a multiple of ", kBlockValues,
               " values, not ", row));
    Plan out{std::move(item), bits, false, {}, {}, [this, format](Bytes bytes) {
               return from_blocks(bytes, format, header_.shape);
             }};
    if (count) out.length = *count / kBlockValues * block_bytes(format);
    return out;
  }

  /// Copied if the bytes do not have the dtype's alignment.
  ir::Tensor view(Bytes bytes, DType dtype) const {
    const auto size = static_cast<uintptr_t>(ir::dtype_size(dtype));
    const bool aligned = reinterpret_cast<uintptr_t>(bytes.data()) % size == 0;
    if (aligned && file_.owner)
      return {dtype, header_.shape, ir::contiguous_strides(header_.shape), bytes, file_.owner};
    ir::OwnedTensor out = ir::allocate(dtype, header_.shape);
    if (!bytes.empty()) std::memcpy(out.data.data(), bytes.data(), bytes.size());
    return std::move(out.tensor);
  }

  const Content& file_;
  std::string_view origin_;
  DatHeader header_;
};

}  // namespace

StoredTensor read_stored(const Content& file, std::string_view origin) {
  return Reader(file, origin).run();
}

ir::Tensor read_dat(Bytes bytes, std::string_view origin) {
  return read_stored({bytes, nullptr}, origin).values;
}

}  // namespace t2n::nnef
