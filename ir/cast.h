// SPDX-License-Identifier: Apache-2.0
// Numeric conversion between element types: torch's `.to`, except that integers never wrap.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "ir/dtype.h"

namespace t2n::ir {

/// Converts every element of `in` into `out`; neither span needs alignment. Floats are truncated to
/// integers, non-zero values become true, and a float that is too large becomes infinite.
/// Returns the index of the first element that does not fit the integer type `to` (where torch
/// wraps or the result depends on the CPU); nothing if all fit.   Errors: complex dtypes are
/// internal errors.
std::optional<size_t> cast_elements(DType from, std::span<const std::byte> in, DType to,
                                    std::span<std::byte> out);

}  // namespace t2n::ir
