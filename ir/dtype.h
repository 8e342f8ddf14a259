// SPDX-License-Identifier: Apache-2.0
// Element types of tensors, with the names that the text forms use.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace t2n::ir {

enum class DType : uint8_t {
  boolean,
  u8,
  u16,
  u32,
  u64,
  i8,
  i16,
  i32,
  i64,
  f16,
  bf16,
  f32,
  f64,
  c64,
  c128
};

/// "bool", "f32", "i64", "bf16", "c64" (two f32)…
std::string_view dtype_name(DType dtype);
std::optional<DType> parse_dtype(std::string_view name);

/// Bytes of one element.
int64_t dtype_size(DType dtype);

bool is_float(DType dtype);    ///< f16, bf16, f32, f64
bool is_integer(DType dtype);  ///< signed and unsigned, without boolean
bool is_complex(DType dtype);
/// The dtype of real and imaginary parts; that of a real tensor is unchanged.
DType component_dtype(DType dtype);

}  // namespace t2n::ir
