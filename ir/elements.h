// Elements of tensors as doubles, a part at a time: a weight is never copied entirely.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

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

}  // namespace t2n::ir
