// Operations that need elements, in branches that run where there are none: the largest of no rows,
// the first of an empty list of indices.
#pragma once

#include <ATen/core/function_schema.h>
#include <ATen/core/stack.h>

#include <optional>

namespace t2n::trace {

/// Elements that are added to an operand, and change no result where it has enough.
struct Padding {
  size_t operand = 0;
  int64_t axis = 0;
  int64_t before = 0;
  int64_t behind = 0;
  bool shifts = false;  ///< indices from the front then lie one further
  c10::Scalar value = 0;
};

/// The axis along which the operation has too few elements to run. Nothing if it has enough, or if
/// no padding would help.
std::optional<int64_t> lacking_axis(const c10::FunctionSchema& schema,
                                    const torch::jit::Stack& inputs);

/// What has to be added along such an axis, whatever the sizes are in this run.
std::optional<Padding> padding_of(const c10::FunctionSchema& schema,
                                  const torch::jit::Stack& inputs, int64_t axis);

}  // namespace t2n::trace
