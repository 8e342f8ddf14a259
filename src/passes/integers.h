// SPDX-License-Identifier: Apache-2.0
// Converts integer-valued float tensors to 8-bit integers.
#pragma once

#include <optional>

#include "ir/quant_info.h"
#include "ir/tensor.h"

namespace t2n::passes {

struct Integers {
  ir::Tensor tensor;         ///< i8 or u8, row-major
  ir::QuantInfo info;        ///< with scale 1, zero point 0 and the fewest bits
  bool loses_signs = false;  ///< an element is -0.0
};

/// The elements as 8-bit integers; nothing if one of them is not such an integer.
std::optional<Integers> integers_in(const ir::Tensor& tensor);

}  // namespace t2n::passes
