// SPDX-License-Identifier: Apache-2.0
// Operations on tensors: executes and watches them, and passes them to the recorder.
#pragma once

#include <string>

#include "src/frontend/loops/lists.h"
#include "src/frontend/run/operations.h"
#include "src/frontend/run/range_watch.h"
#include "src/frontend/run/sparse_tensors.h"
#include "src/frontend/run/tensor_numbers.h"
#include "src/frontend/state/state_watch.h"

namespace t2n::trace {

/// Turns the program's operations into nodes. Without a recorder they are only executed.
class TensorOperations {
 public:
  TensorOperations(const TraceOptions& options, Position& position, StateWatch& state, Marks& marks,
                   Decisions& decisions, RunningLoops& loops, Lists& lists, TensorNumbers& numbers,
                   const Operations& operations, Recorder* recorder, RangeWatch* ranges)
      : options_(options),
        position_(position),
        state_(state),
        marks_(marks),
        decisions_(decisions),
        loops_(loops),
        lists_(lists),
        numbers_(numbers),
        operations_(operations),
        recorder_(recorder),
        ranges_(ranges),
        sparse_(numbers, position, marks, operations, recorder) {}

  torch::jit::Stack run(torch::jit::Node* node, const Operation& called,
                        torch::jit::Stack operands);

 private:
  bool is_literal(const torch::jit::Stack& inputs);
  bool gives_unbacked_sizes(const std::string& name) const;
  bool is_input_independent(const torch::jit::Stack& inputs) const;
  bool is_computed(const torch::jit::Node* node, const torch::jit::Stack& inputs) const;
  OpCall prepare(torch::jit::Node* node, const Operation& operation,
                 const torch::jit::Stack& inputs);
  void note_numbers(const torch::jit::Node* node, const torch::jit::Stack& inputs,
                    bool is_computable, bool reads_number);
  void refuse_hidden_effects(const std::string& name, const torch::jit::Stack& inputs);
  void check_unrecorded(const c10::FunctionSchema& schema, const torch::jit::Stack& inputs);
  void normalise_operands(torch::jit::Node* node, const std::string& name,
                          torch::jit::Stack& inputs);
  void invalidate_statistics(const std::string& name, const torch::jit::Stack& inputs);
  bool make_alias(const std::string& name, const torch::jit::Stack& inputs,
                  torch::jit::Stack& results);
  Operation with_numbers(const Operation& operation, torch::jit::Stack& inputs);
  void stride_owner(const std::string& name, torch::jit::Stack& inputs);
  void broadcast_masks(torch::jit::Node* node, const std::string& name, torch::jit::Stack& inputs);

  const TraceOptions& options_;
  Position& position_;
  StateWatch& state_;
  Marks& marks_;
  Decisions& decisions_;
  RunningLoops& loops_;
  Lists& lists_;
  TensorNumbers& numbers_;
  const Operations& operations_;
  Recorder* recorder_;
  RangeWatch* ranges_;
  SparseTensors sparse_;
};

}  // namespace t2n::trace
