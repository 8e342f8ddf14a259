// SPDX-License-Identifier: Apache-2.0
// Shared by tract's kernels.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <utility>

#include "src/diag/error.h"
#include "src/interp/kernel.h"

namespace t2n::interp {

/// An axis of a tensor of this rank. Errors: `engine-failed`; tract has no negative axes.
int64_t axis_of(const KernelCall& call, std::string_view name, int64_t rank);
/// Several axes, in ascending order.
Ints axes_of(const KernelCall& call, std::string_view name, int64_t rank);

/// "f32", "F32", "i64", "tdim" (i64)… Errors: `engine-failed`.
at::ScalarType dtype_named(const std::string& name);
/// "f32"
std::string dtype_text(at::ScalarType dtype);

/// Errors: `engine-failed` unless the dtype is one of these.
void require_dtype(const at::Tensor& tensor, std::initializer_list<at::ScalarType> known);
/// f16 and f32: tract's fused kernels accept no others.
at::Tensor half_or_float(const KernelCall& call, std::string_view name);

/// Errors: `engine-failed` unless it contains integers (or logicals, with `or_bool`).
void require_integers(const at::Tensor& tensor, bool or_bool);

/// Both arguments in their common dtype: the wider of two floats, of two signed or of two unsigned
/// integers.
std::pair<at::Tensor, at::Tensor> common_dtype(const KernelCall& call, std::string_view first,
                                               std::string_view second);

/// Computes f16 in f32, and rounds the result.
template <typename Function>
at::Tensor through_float(const at::Tensor& input, const Function& function) {
  if (input.scalar_type() != at::kHalf) return function(input);
  return function(input.to(at::kFloat)).to(at::kHalf);
}

}  // namespace t2n::interp
