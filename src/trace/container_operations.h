// Operations of lists and dictionaries that move elements without looking at them.
#pragma once

#include <string>

#include "src/trace/lists.h"
#include "src/trace/nesting.h"
#include "src/trace/operations.h"
#include "src/trace/state_watch.h"

namespace t2n::trace {

/// Torch runs them on marked numbers unchanged. This class follows the marks of positions, keys and
/// lengths in the marks of containers; it touches neither tensors nor the recorder.
class ContainerOperations {
 public:
  ContainerOperations(Position& position, StateWatch& state, Marks& marks, Decisions& decisions,
                      OpenLoops& loops, Lists& lists, NestingBudget& nesting,
                      const Operations& operations)
      : position_(position),
        state_(state),
        marks_(marks),
        operations_(operations),
        decisions_(decisions),
        loops_(loops),
        lists_(lists),
        nesting_(nesting) {}

  /// Decides by an operation's name and operands.
  static bool may_move_elements(const std::string& name);
  static bool moves_elements(const torch::jit::Stack& inputs);
  torch::jit::Stack run(const Operation& operation, torch::jit::Stack inputs);
  /// A key that a dictionary is read or written with.
  void settle_key(const c10::IValue& dictionary, const c10::IValue& key, const std::string& name);

 private:
  torch::jit::Stack make_dictionary(const Operation& operation, const c10::IValue& from);
  Mark queried_index(const std::string& name, const c10::IValue& container,
                     const c10::IValue& operand);
  void follow_element(const torch::jit::Stack& inputs, const Mark& asked, const Mark& length,
                      c10::IValue& element);
  Mark repeated_length(const torch::jit::Stack& inputs, const Mark& asked);
  Mark made_length(const std::string& name, const torch::jit::Stack& inputs, const Mark& asked);
  void follow_change(const std::string& name, const torch::jit::Stack& inputs, const Mark& asked,
                     const Mark& length);
  void follow_move(const std::string& name, const torch::jit::Stack& inputs, const Mark& asked,
                   const Mark& length, torch::jit::Stack& results);

  Position& position_;
  StateWatch& state_;
  Marks& marks_;
  const Operations& operations_;
  Decisions& decisions_;
  OpenLoops& loops_;
  Lists& lists_;
  NestingBudget& nesting_;
};

}  // namespace t2n::trace
