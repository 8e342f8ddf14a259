// SPDX-License-Identifier: Apache-2.0
// Sizes as people write them: "N//64 - 1". The text that Dim::str() prints is for parsers.
#pragma once

#include <string>

#include "ir/comparison.h"
#include "ir/dtype.h"

namespace t2n::ir {

/// With few parentheses, and data-dependent sizes by their plain names. Python reads it as the same
/// expression.
std::string readable(const Dim& dim);
/// "[1,N//64 - 1,4]"
std::string readable(const Shape& shape);
/// "f32[1,3,N]", with sizes as the user wrote them
std::string type_text(DType dtype, const Shape& shape);
/// "N//64 >= 2"
std::string readable(const Comparison& comparison);

}  // namespace t2n::ir
