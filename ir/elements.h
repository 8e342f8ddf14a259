// SPDX-License-Identifier: Apache-2.0
// Elements of tensors as numbers, a part at a time: a weight is not copied entirely.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "ir/quant_info.h"
#include "ir/tensor.h"

namespace t2n::ir {

/// The number of elements between neighbouring indices of an axis, in row-major order.
size_t inner_size(const Ints& shape, size_t axis);

/// Calls `use` with the elements in row-major order, and with the index of the first of them.
void for_each_part(const Tensor& tensor,
                   const std::function<void(size_t, std::span<const double>)>& use);

/// The same for two tensors of one shape.
void for_each_part(
    const Tensor& a, const Tensor& b,
    const std::function<void(std::span<const double>, std::span<const double>)>& use);

/// Reads index `index` of the first axis of a float tensor as f32; nothing else is copied.
void read_row(const Tensor& tensor, int64_t index, std::vector<float>& out);

/// The f32 values of integers.
Tensor dequantised(const Tensor& integers, const QuantInfo& quant);

}  // namespace t2n::ir
