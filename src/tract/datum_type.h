// SPDX-License-Identifier: Apache-2.0
// tract's codes for element types; the same in every version.
#pragma once

#include <cstdint>
#include <optional>

#include "ir/dtype.h"

namespace t2n::tract {

/// Nothing for bf16, which tract lacks.
std::optional<uint32_t> datum_type(ir::DType dtype);
/// Nothing for tract's internal types: dimensions, strings, quantised types.
std::optional<ir::DType> dtype_of(uint32_t datum_type);

}  // namespace t2n::tract
