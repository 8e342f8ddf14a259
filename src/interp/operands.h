// Operands of several ranks and element types, brought together as NNEF and tract do it.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "src/interp/checked.h"
#include "src/interp/kernel.h"

namespace t2n::interp {

/// Axes of 1 behind the last, up to `rank`: NNEF broadcasts from the first axis on.
at::Tensor with_rank(const at::Tensor& tensor, int64_t rank);

/// The same rank for all.
Checked<at::Tensor> same_rank(const Checked<at::Tensor>& tensors);

/// Two operands of a call in one element type and rank. The standard casts nothing; tract casts a
/// constant to the type of the other side, integer literals turn numbers into dimensions, and else
/// the wider type of a kind wins. Errors: `engine-failed` where there is no such type.
std::pair<at::Tensor, at::Tensor> operands(const KernelCall& call, std::string_view a,
                                           std::string_view b);

/// As tract casts: towards zero, saturating, NaN to 0, everything but 0 to true.
at::Tensor cast(const at::Tensor& tensor, at::ScalarType type);

/// torch has hardly any kernel for u16, u32 and u64, which are computed in i64 and cut back.
bool lacks_kernels(at::ScalarType type);
at::Tensor widened(const at::Tensor& tensor);

/// 16-bit floats are computed in f32 and rounded once.
at::Tensor in_f32(const at::Tensor& tensor);

/// An axis of the tensor. Errors: `engine-failed` for others and negative ones.
int64_t checked_axis(int64_t axis, int64_t rank);
Checked<int64_t> checked_axes(const KernelCall& call, std::string_view name, int64_t rank);

}  // namespace t2n::interp
