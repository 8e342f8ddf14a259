// SPDX-License-Identifier: Apache-2.0
// Operations on numbers, strings, and entire containers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/frontend/numbers/number_rules.h"
#include "src/frontend/run/container_operations.h"
#include "src/frontend/run/tensor_numbers.h"

namespace t2n::trace {

/// A result is exact if there is a rule; else it depends on everything that the operands depend on.
/// Marks results and adds guards to the decisions. It only queries the recorder which tensors are
/// chosen by branches.
class Scalars {
 public:
  Scalars(Position& position, StateWatch& state, Marks& marks, Decisions& decisions,
          RunningLoops& loops, ContainerOperations& container_operations, TensorNumbers& numbers,
          const Operations& operations, const Recorder* recorder)
      : position_(position),
        state_(state),
        marks_(marks),
        decisions_(decisions),
        loops_(loops),
        container_operations_(container_operations),
        numbers_(numbers),
        operations_(operations),
        recorder_(recorder) {}

  torch::jit::Stack run(const Operation& operation, torch::jit::Stack inputs);

 private:
  bool same_number(const c10::IValue& a, const c10::IValue& b);
  std::optional<c10::IValue> compare_lists(const std::string& name,
                                           const torch::jit::Stack& inputs);
  void specialise_comparisons(torch::jit::Stack& inputs);
  void guard_range(const std::string& name, const std::vector<Operand>& operands);
  Mark scalar_mark(const std::string& name, const torch::jit::Stack& inputs,
                   std::optional<Mark>& exact);

  Position& position_;
  StateWatch& state_;
  Marks& marks_;
  Decisions& decisions_;
  RunningLoops& loops_;
  ContainerOperations& container_operations_;
  TensorNumbers& numbers_;
  const Operations& operations_;
  const Recorder* recorder_;
};

}  // namespace t2n::trace
