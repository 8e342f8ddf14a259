// SPDX-License-Identifier: Apache-2.0
// One operation of the program: what runs, on which operands, and how the graph will name it.
#pragma once

#include <torch/csrc/jit/runtime/operator.h>

#include <functional>
#include <string>
#include <vector>

#include "ir/building.h"

namespace t2n::trace {

using ir::Location;

/// Runs one operation on a stack of operands and leaves its results there.
using Run = std::function<void(torch::jit::Stack&)>;
Run make_run(torch::jit::Operation operation);

/// An operation about to be recorded: its operands as they were before it ran.
struct OpCall {
  ir::Node node;
  const c10::FunctionSchema* schema = nullptr;
  Run run;
  torch::jit::Stack inputs;
};

/// Whether an index is a mask.
bool is_mask(const c10::IValue& index);

/// True for a list of tensors and None with at least one tensor.
bool is_tensor_list(const c10::IValue& value);

/// Tensors of a result in order, those in lists, tuples and dicts included.
std::vector<at::Tensor> flatten_tensors(const c10::IValue& value);

/// The functional operator for one that writes: "aten::add_.Tensor" and "aten::add.out" give
/// "aten::add.Tensor". Empty if there is none.
std::string functional_name(const c10::FunctionSchema& schema);

/// "aten::add.Tensor"
std::string qualified_name(const c10::FunctionSchema& schema);

}  // namespace t2n::trace
