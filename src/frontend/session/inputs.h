// SPDX-License-Identifier: Apache-2.0
// Conversions between flat lists of named samples and the nested arguments and results of forward.
#pragma once

#include <ATen/core/function_schema.h>
#include <ATen/core/ivalue.h>

#include <string>
#include <vector>

#include "src/model/model.h"

namespace t2n::trace {

/// Arguments ready to run. Tensors are private copies, so that no input shares memory with another.
struct BoundInputs {
  std::vector<c10::IValue> arguments;  ///< without self
  std::vector<at::Tensor> tensors;     ///< the leaves, depth first
  std::vector<std::string> names;      ///< of `tensors`
  std::vector<std::string> constants;  ///< names of the leaves that are not tensors
};

/// A sample is found by its path, by its flat name, or, for tensors, as `input_N`, where N counts
/// tensors. Errors: `input-missing`, `input-unknown`, `input-shape` (a value of another type).
BoundInputs bind_inputs(const c10::FunctionSchema& schema, const std::vector<SampleInput>& samples);

/// The leaves of the arguments in a traced file; tensors without bytes.
std::vector<SampleInput> flatten_samples(const c10::FunctionSchema& schema,
                                         const std::vector<c10::IValue>& arguments);
/// The leaves of one value, tensors with bytes.
std::vector<SampleInput> flatten_value(const std::string& name, const c10::IValue& value);

struct FlatOutput {
  std::string name;
  at::Tensor tensor;
};

/// Tensors of the result, depth first; numbers as tensors of rank 0. Dictionary keys and field
/// names give names, else `output_N`. None is left out. Errors: `unsupported-output` for strings
/// and objects, and for a result without tensors.
std::vector<FlatOutput> flatten_outputs(const c10::IValue& result);

}  // namespace t2n::trace
