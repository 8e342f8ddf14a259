// Tensors of reals that hold whole numbers only.
#pragma once

#include <optional>

#include "ir/quant_info.h"
#include "ir/tensor.h"

namespace t2n::passes {

struct Integers {
  ir::Tensor tensor;         ///< i8 or u8, row-major
  ir::QuantInfo info;        ///< they stand for themselves; in how few bits they fit
  bool loses_signs = false;  ///< a zero was one below zero
};

/// The elements as integers of 8 bits; nothing if one is none.
std::optional<Integers> integers_in(const ir::Tensor& tensor);

}  // namespace t2n::passes
