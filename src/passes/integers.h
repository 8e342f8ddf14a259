// Tensors of reals that hold whole numbers only.
#pragma once

#include <optional>

#include "ir/quant_info.h"
#include "ir/tensor.h"

namespace t2n::passes {

struct Integers {
  ir::Tensor tensor;   ///< i8 or u8, row-major
  ir::QuantInfo info;  ///< they stand for themselves; in how few bits they fit
};

/// The elements as integers of 8 bits; nothing if one is none. The sign of a zero is lost: no sum
/// of products shows it.
std::optional<Integers> integers_in(const ir::Tensor& tensor);

}  // namespace t2n::passes
