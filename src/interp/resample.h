// SPDX-License-Identifier: Apache-2.0
// Linear interpolation along one axis, for upsampling and regions of interest.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "src/interp/checked.h"

namespace t2n::interp {

/// Interpolates between the entries of an axis; `positions` may be up to one entry outside.
at::Tensor interpolated(const at::Tensor& x, int64_t axis, const Checked<double>& positions,
                        const std::string& border);

}  // namespace t2n::interp
