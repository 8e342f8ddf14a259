// SPDX-License-Identifier: Apache-2.0
#include "ir/bit_fields.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "src/diag/error.h"

namespace t2n::ir {
namespace {

constexpr int kByte = 8;
constexpr int kByteValues = 256;

/// The tables that unpack the fields, their files' headers, and statements take less in a file.
constexpr int64_t kLeastSaved = 4096;

int64_t padded_count(int64_t count) { return (count + kByte - 1) / kByte * kByte; }
int64_t row_bytes(int64_t padded, int width) { return padded / kByte * width; }

/// Reads bytes as i8 or u8.
class Integers {
 public:
  explicit Integers(const Tensor& integers)
      : rows_(contiguous(integers)), is_signed_(integers.dtype == DType::i8) {
    T2N_ASSERT(is_signed_ || integers.dtype == DType::u8, "bit fields of ",
               dtype_name(integers.dtype));
  }

  size_t size() const { return static_cast<size_t>(rows_.elements()); }
  int operator[](size_t index) const {
    const std::byte value = rows_.bytes[index];
    return is_signed_ ? static_cast<int8_t>(value) : std::to_integer<int>(value);
  }

 private:
  Tensor rows_;
  bool is_signed_;
};

std::pair<int, int> range_of(const Integers& integers) {
  int lowest = integers[0];
  int highest = lowest;
  for (size_t i = 1; i < integers.size(); ++i) {
    lowest = std::min(lowest, integers[i]);
    highest = std::max(highest, integers[i]);
  }
  return {lowest, highest};
}

void write_fields(const Integers& integers, int lowest, const FieldRow& row,
                  std::span<std::byte> bytes) {
  const size_t fields = static_cast<size_t>(kByte / row.width);
  const int mask = (1 << row.width) - 1;
  for (size_t i = 0; i < integers.size(); ++i) {
    const int field = (integers[i] - lowest) >> row.shift & mask;
    const size_t at = static_cast<size_t>(row.begin) + i / fields;
    bytes[at] |= static_cast<std::byte>(field << i % fields * static_cast<size_t>(row.width));
  }
}

}  // namespace

int64_t integer_bytes(int64_t count, int bits) {
  if (bits >= kByte) return count;
  const int64_t packed = row_bytes(padded_count(count), bits);
  return count - packed >= kLeastSaved ? packed : count;
}

std::optional<BitFields> bit_fields(const Tensor& tensor) {
  if (tensor.elements() < kLeastSaved || !tensor.is_loaded()) return {};
  const Integers integers(tensor);
  const auto [lowest, highest] = range_of(integers);
  BitFields out;
  out.bits = std::max(1, static_cast<int>(std::bit_width(static_cast<unsigned>(highest - lowest))));
  out.lowest = lowest;
  out.padded = padded_count(tensor.elements());
  const int64_t size = integer_bytes(tensor.elements(), out.bits);
  if (size == tensor.elements()) return {};
  OwnedTensor bytes = allocate(DType::u8, {size});
  FieldRow row;
  for (const int width : {4, 2, 1}) {
    if ((out.bits & width) == 0) continue;
    row.width = width;
    write_fields(integers, lowest, row, bytes.data);
    out.rows.push_back(row);
    row.shift += width;
    row.begin += row_bytes(out.padded, width);
  }
  out.bytes = std::move(bytes.tensor);
  return out;
}

Tensor field_table(const FieldRow& row, int64_t added, DType dtype, int64_t more) {
  const int64_t fields = kByte / row.width;
  const int64_t mask = (1 << row.width) - 1;
  const int64_t highest = dtype == DType::i8 ? 127 : 255;
  std::vector<int64_t> values;
  for (int64_t byte = 0; byte < kByteValues; ++byte)
    for (int64_t i = 0; i < fields; ++i)
      // Fields that no integer has may exceed it.
      values.push_back(std::min(highest, added + ((byte >> i * row.width & mask) << row.shift)));
  values.resize(static_cast<size_t>((kByteValues + more) * fields));
  return tensor_of(dtype, {kByteValues + more, fields}, values);
}

}  // namespace t2n::ir
