// SPDX-License-Identifier: Apache-2.0
// Values beyond the edges of a tensor (NNEF 1.0.5 §4.3, border modes).
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <utility>
#include <vector>

#include "src/interp/checked.h"

namespace t2n::interp {

/// Entries before and after each axis; negative numbers crop.
using Padding = Checked<std::pair<int64_t, int64_t>>;

/// 'constant' (with `value`), 'replicate', 'reflect', 'reflect-even', and tract's 'replicated'.
/// Errors: `engine-failed` for others.
at::Tensor extended(const at::Tensor& tensor, const Padding& padding, const std::string& border,
                    double value = 0);

}  // namespace t2n::interp
