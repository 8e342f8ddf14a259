// Real numbers over sizes as tensors of rank 0.
#pragma once

#include <optional>
#include <string>

#include "src/trace/marks.h"
#include "src/trace/position.h"
#include "src/trace/recorder.h"

namespace t2n::trace {

/// Where an operation takes a number that no attribute can hold, its form for tensors is recorded
/// in its place. Runs and records operations that the program itself does not have.
class ComputedNumbers {
 public:
  ComputedNumbers(Position& position, const Marks& marks, Recorder& recorder)
      : position_(position), marks_(marks), recorder_(recorder) {}

  /// Runs and records one operation; an operand that it returns is no operation.
  at::Tensor recorded(const char* name, const char* overload, const torch::jit::Stack& inputs);

  static bool has_tensor_form(const c10::FunctionSchema& schema, const torch::jit::Stack& inputs);
  /// The call as it is recorded: with tensors for the numbers.
  OpCall prepare(const c10::FunctionSchema& schema, const torch::jit::Stack& inputs);
  /// A tensor made of a list of numbers, in which sizes or reals over sizes stand: the numbers as
  /// tensors, stacked. Nothing if a number is neither, or if none follows from sizes.
  std::optional<at::Tensor> stacked(const std::string& name, const torch::jit::Stack& inputs);

 private:
  at::Tensor computed(const Formula& formula);

  Position& position_;
  const Marks& marks_;
  Recorder& recorder_;
};

}  // namespace t2n::trace
