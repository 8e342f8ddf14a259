// SPDX-License-Identifier: Apache-2.0
// Operations of lists and dictionaries that move elements without reading them.
#pragma once

#include <string>

#include "src/frontend/load/nesting.h"
#include "src/frontend/loops/lists.h"
#include "src/frontend/run/operations.h"
#include "src/frontend/state/state_watch.h"

namespace t2n::trace {

/// Torch runs these operations on marked numbers unchanged. This class propagates the marks of
/// positions, keys and lengths to the marks of containers; it uses neither tensors nor the
/// recorder.
class ContainerOperations {
 public:
  ContainerOperations(Position& position, StateWatch& state, Marks& marks, Decisions& decisions,
                      RunningLoops& loops, Lists& lists, NestingBudget& nesting,
                      const Operations& operations)
      : position_(position),
        state_(state),
        marks_(marks),
        operations_(operations),
        decisions_(decisions),
        loops_(loops),
        lists_(lists),
        nesting_(nesting) {}

  /// Whether an operation, by its name or operands, moves elements of containers.
  static bool may_move_elements(const std::string& name);
  static bool moves_elements(const torch::jit::Stack& inputs);
  torch::jit::Stack run(const Operation& operation, torch::jit::Stack inputs);
  /// Adds guards for a key that a dictionary is read or written with.
  void guard_key(const c10::IValue& dictionary, const c10::IValue& key, const std::string& name);

 private:
  torch::jit::Stack make_dictionary(const Operation& operation, const c10::IValue& from);
  Mark queried_index(const std::string& name, const c10::IValue& container,
                     const c10::IValue& operand);
  void mark_element(const torch::jit::Stack& inputs, const Mark& index, const Mark& length,
                    c10::IValue& element);
  Mark repeated_length(const torch::jit::Stack& inputs, const Mark& index);
  Mark result_length(const std::string& name, const torch::jit::Stack& inputs, const Mark& index);
  void mark_changed(const std::string& name, const torch::jit::Stack& inputs, const Mark& index,
                    const Mark& length);
  void mark_results(const std::string& name, const torch::jit::Stack& inputs, const Mark& index,
                    const Mark& length, torch::jit::Stack& results);

  Position& position_;
  StateWatch& state_;
  Marks& marks_;
  const Operations& operations_;
  Decisions& decisions_;
  RunningLoops& loops_;
  Lists& lists_;
  NestingBudget& nesting_;
};

}  // namespace t2n::trace
