// SPDX-License-Identifier: Apache-2.0
// The table of element types that cross tract's C interface.
#include "src/tract/datum_type.h"

namespace t2n::tract {
namespace {

struct Row {
  ir::DType dtype;
  uint32_t code;
};

constexpr Row kRows[] = {
    {ir::DType::boolean, 0x01}, {ir::DType::u8, 0x11},   {ir::DType::u16, 0x12},
    {ir::DType::u32, 0x14},     {ir::DType::u64, 0x18},  {ir::DType::i8, 0x21},
    {ir::DType::i16, 0x22},     {ir::DType::i32, 0x24},  {ir::DType::i64, 0x28},
    {ir::DType::f16, 0x32},     {ir::DType::f32, 0x34},  {ir::DType::f64, 0x38},
    {ir::DType::c64, 0x54},     {ir::DType::c128, 0x58},
};

}  // namespace

std::optional<uint32_t> datum_type(ir::DType dtype) {
  for (const Row& row : kRows)
    if (row.dtype == dtype) return row.code;
  return std::nullopt;
}

std::optional<ir::DType> dtype_of(uint32_t code) {
  for (const Row& row : kRows)
    if (row.code == code) return row.dtype;
  return std::nullopt;
}

}  // namespace t2n::tract
