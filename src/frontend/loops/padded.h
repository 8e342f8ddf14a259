// SPDX-License-Identifier: Apache-2.0
// Operations that need elements, in branches that run without any: the maximum over no rows, the
// first of an empty list of indices.
#pragma once

#include <ATen/core/function_schema.h>
#include <ATen/core/stack.h>

#include <optional>

namespace t2n::trace {

/// Elements that are added to an operand. They change no result if the operand has enough elements.
struct Padding {
  size_t operand = 0;
  int64_t axis = 0;
  int64_t before = 0;
  int64_t after = 0;
  bool shifts = false;  ///< indices from the front increase by one
  c10::Scalar value = 0;
};

/// The axis along which the operation has too few elements to run. Nothing if it has enough, or if
/// no padding would help.
std::optional<int64_t> short_axis(const c10::FunctionSchema& schema,
                                  const torch::jit::Stack& inputs);

/// The padding along such an axis, independent of the sizes in this run.
std::optional<Padding> padding_of(const c10::FunctionSchema& schema,
                                  const torch::jit::Stack& inputs, int64_t axis);

}  // namespace t2n::trace
