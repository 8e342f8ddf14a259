// SPDX-License-Identifier: Apache-2.0
// Tensors of one axis.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/tensor.h"

namespace t2n::test {

inline ir::Tensor f32(const std::vector<float>& values) {
  return ir::tensor_of(ir::DType::f32, {static_cast<int64_t>(values.size())}, values);
}

inline ir::Tensor i64(const std::vector<int64_t>& values) {
  return ir::tensor_of(ir::DType::i64, {static_cast<int64_t>(values.size())}, values);
}

}  // namespace t2n::test
