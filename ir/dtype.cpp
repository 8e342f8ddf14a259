// SPDX-License-Identifier: Apache-2.0
#include "ir/dtype.h"

#include <array>

namespace t2n::ir {
namespace {

struct DTypeRow {
  DType dtype;
  std::string_view name;
  int64_t size;
};

constexpr std::array<DTypeRow, 15> kDTypes = {{{DType::boolean, "bool", 1},
                                               {DType::u8, "u8", 1},
                                               {DType::u16, "u16", 2},
                                               {DType::u32, "u32", 4},
                                               {DType::u64, "u64", 8},
                                               {DType::i8, "i8", 1},
                                               {DType::i16, "i16", 2},
                                               {DType::i32, "i32", 4},
                                               {DType::i64, "i64", 8},
                                               {DType::f16, "f16", 2},
                                               {DType::bf16, "bf16", 2},
                                               {DType::f32, "f32", 4},
                                               {DType::f64, "f64", 8},
                                               {DType::c64, "c64", 8},
                                               {DType::c128, "c128", 16}}};

constexpr bool in_enum_order() {
  for (size_t i = 0; i < kDTypes.size(); ++i)
    if (static_cast<size_t>(kDTypes[i].dtype) != i) return false;
  return true;
}
static_assert(in_enum_order(), "kDTypes is indexed by DType");

const DTypeRow& row(DType dtype) { return kDTypes.at(static_cast<size_t>(dtype)); }

}  // namespace

std::string_view dtype_name(DType dtype) { return row(dtype).name; }

std::optional<DType> parse_dtype(std::string_view name) {
  for (const DTypeRow& candidate : kDTypes)
    if (candidate.name == name) return candidate.dtype;
  return std::nullopt;
}

int64_t dtype_size(DType dtype) { return row(dtype).size; }

bool is_float(DType dtype) {
  return dtype == DType::f16 || dtype == DType::bf16 || dtype == DType::f32 || dtype == DType::f64;
}

bool is_integer(DType dtype) { return dtype >= DType::u8 && dtype <= DType::i64; }

bool is_complex(DType dtype) { return dtype == DType::c64 || dtype == DType::c128; }

DType component_dtype(DType dtype) {
  if (dtype == DType::c64) return DType::f32;
  return dtype == DType::c128 ? DType::f64 : dtype;
}

}  // namespace t2n::ir
