// Operations on numbers, strings, and containers as a whole.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/trace/container_operations.h"
#include "src/trace/number_rules.h"
#include "src/trace/tensor_numbers.h"

namespace t2n::trace {

/// A result is exact if there is a rule; else it follows from everything that the operands follow
/// from. Marks results and settles decisions. It asks the recorder only which of two tensors a
/// branch chose.
class Scalars {
 public:
  Scalars(Position& position, StateWatch& state, Marks& marks, Decisions& decisions,
          OpenLoops& loops, ContainerOperations& moves, TensorNumbers& numbers,
          const Operations& operations, const Recorder* recorder)
      : position_(position),
        state_(state),
        marks_(marks),
        decisions_(decisions),
        loops_(loops),
        container_operations_(moves),
        numbers_(numbers),
        operations_(operations),
        recorder_(recorder) {}

  torch::jit::Stack run(const Operation& operation, torch::jit::Stack inputs);

 private:
  bool same_number(const c10::IValue& a, const c10::IValue& b);
  std::optional<c10::IValue> compare_lists(const std::string& name,
                                           const torch::jit::Stack& inputs);
  void settle_comparisons(torch::jit::Stack& inputs);
  void settle_ranges(const std::string& name, const std::vector<Operand>& operands);
  Mark scalar_mark(const std::string& name, const torch::jit::Stack& inputs,
                   std::optional<Mark>& exact);

  Position& position_;
  StateWatch& state_;
  Marks& marks_;
  Decisions& decisions_;
  OpenLoops& loops_;
  ContainerOperations& container_operations_;
  TensorNumbers& numbers_;
  const Operations& operations_;
  const Recorder* recorder_;
};

}  // namespace t2n::trace
