// SPDX-License-Identifier: Apache-2.0
// Statistics of weights.
#pragma once

#include "ir/tensor.h"
#include "src/picture/picture.h"

namespace t2n::picture {

/// Of a loaded, real or complex tensor: complex numbers count as pairs.
Statistics statistics_of(const ir::Tensor& tensor);

}  // namespace t2n::picture
