// SPDX-License-Identifier: Apache-2.0
// Numbers over sizes and values, computed as tensors of rank 0.
#pragma once

#include <optional>
#include <string>

#include "src/frontend/numbers/marks.h"
#include "src/frontend/numbers/position.h"
#include "src/frontend/record/recorder.h"

namespace t2n::trace {

/// Runs and records operations that the program itself does not contain. An operation whose number
/// cannot be an attribute is recorded as its overload for tensors.
class ComputedNumbers {
 public:
  /// `recorder`: may be null until it is used.
  ComputedNumbers(Position& position, const Marks& marks, Recorder* recorder)
      : position_(position), marks_(marks), recorder_(recorder) {}

  Recorder& recorder() { return *recorder_; }

  /// Runs and records one operation. An operation that returns its operand is not recorded.
  at::Tensor recorded(const char* name, const char* overload, const torch::jit::Stack& inputs);

  /// The same for one that gives a number: as a tensor of rank 0, f64 or i64.
  at::Tensor recorded_number(const char* name, const torch::jit::Stack& inputs);

  /// The number as a tensor of rank 0: f64, i64 or bool. Errors: `data-dependent-value` if the
  /// tensor that it was read from was overwritten since.
  at::Tensor computed(const Formula& formula);

  /// Whether the operation fills a tensor with a number that a graph can compute.
  static bool fills(const std::string& name, const torch::jit::Stack& inputs);
  /// A model's result, with tensors of rank 0 in place of numbers over sizes and values.
  c10::IValue with_tensors(const c10::IValue& result);
  static bool has_tensor_form(const c10::FunctionSchema& schema, const torch::jit::Stack& inputs);
  /// Whether an operand is a number that was read from values, and the operation can take it as a
  /// tensor.
  static bool takes_read_number(const c10::FunctionSchema& schema, const torch::jit::Stack& inputs);
  /// The call as it is recorded: tensors replace the computed numbers.
  OpCall prepare(const c10::FunctionSchema& schema, const torch::jit::Stack& inputs);

  /// Records an operation that makes a tensor of computed numbers, or selects an element by one, as
  /// the operations that compute its result. Nothing for any other operation, or if all numbers are
  /// plain. `computes_sizes`: numbers over sizes are computed as well.
  std::optional<at::Tensor> record_from_numbers(const std::string& name,
                                                const torch::jit::Stack& inputs,
                                                bool computes_sizes);

 private:
  at::Tensor cast(const at::Tensor& tensor, at::ScalarType type);
  at::Tensor value_of(const Formula& formula);
  std::optional<at::Tensor> stacked(const torch::jit::Stack& inputs);
  at::Tensor filled(const std::string& name, const torch::jit::Stack& inputs);
  std::optional<at::Tensor> selected(const torch::jit::Stack& inputs);

  Position& position_;
  const Marks& marks_;
  Recorder* recorder_;
};

/// The formula of an integer, float or bool, marked or not; null if a graph cannot compute it.
FormulaRef formula_of(const c10::IValue& number);

/// The formula of a number that the graph has to compute; null for all others.
FormulaRef graph_formula(const c10::IValue& value);

/// Whether one of the numbers depends on an iteration number, and the graph has to compute it.
bool has_iteration_number(const torch::jit::Stack& inputs);

/// Whether a graph can compute the number from the tensor that it was read from.
bool is_read(const c10::IValue& number);

}  // namespace t2n::trace
