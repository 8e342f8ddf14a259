// SPDX-License-Identifier: Apache-2.0
// Integers of fewer than 8 bits as fields of bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/tensor.h"

namespace t2n::ir {

/// Fields of 4, 2 or 1 bits, those of the first integers in the lowest bits.
struct FieldRow {
  int width = 0;
  int shift = 0;      ///< which bits of the integers these are
  int64_t begin = 0;  ///< the first byte
};

/// Integers less the lowest one: the lower bits in wide fields, the rest in narrow ones. Every row
/// has fields for a multiple of 8 integers.
struct BitFields {
  int bits = 0;  ///< 1 to 7
  int64_t lowest = 0;
  int64_t padded = 0;  ///< the number of integers, with those that fill the last bytes
  std::vector<FieldRow> rows;
  Tensor bytes;  ///< u8, one axis
};

/// The bytes that integers of `bits` bits take in a file of tract: those of their fields, or one
/// byte each if that saves little.
int64_t integer_bytes(int64_t count, int bits);

/// Elements of i8 or u8 as fields of as few bits as their range needs; nothing if that saves
/// little.
std::optional<BitFields> bit_fields(const Tensor& integers);

/// What the fields of each byte stand for, plus `added`: [256, fields of a byte], and `more` rows
/// that no byte selects.
Tensor field_table(const FieldRow& row, int64_t added, DType dtype, int64_t more = 0);

}  // namespace t2n::ir
