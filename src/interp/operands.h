// SPDX-License-Identifier: Apache-2.0
// Brings operands to a common rank and element type, as NNEF and tract do.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "src/interp/checked.h"
#include "src/interp/kernel.h"

namespace t2n::interp {

/// Appends axes of size 1, up to `rank`: NNEF broadcasts from the first axis on.
at::Tensor with_rank(const at::Tensor& tensor, int64_t rank);

/// Gives all tensors the same rank.
Tensors same_rank(const Tensors& tensors);

/// Two operands of a call with a common element type and rank. The standard casts nothing. tract
/// casts a constant to the other side's type, integer literals turn numbers into dimensions, and
/// otherwise the wider type of a kind wins. Errors: `engine-failed` if there is no common type.
std::pair<at::Tensor, at::Tensor> operands(const KernelCall& call, std::string_view a,
                                           std::string_view b);

/// Casts like tract: truncating, saturating, NaN to 0, non-zero to true.
at::Tensor cast(const at::Tensor& tensor, at::ScalarType type);

/// torch has few kernels for u16, u32 and u64: they are computed in i64 and truncated.
bool lacks_kernels(at::ScalarType type);
at::Tensor widened(const at::Tensor& tensor);

/// 16-bit floats are computed in f32 and rounded once.
at::Tensor in_f32(const at::Tensor& tensor);

/// Errors: `engine-failed` for an axis out of range; negative ones are out of range.
int64_t checked_axis(int64_t axis, int64_t rank);
Ints checked_axes(const KernelCall& call, std::string_view name, int64_t rank);

/// The axes merged into one, at the end.
at::Tensor with_merged_axes(const at::Tensor& x, const Ints& axes);
/// The shape of a reduction over the axes, which keep extent 1.
Ints reduced_shape(const at::Tensor& x, const Ints& axes);

}  // namespace t2n::interp
