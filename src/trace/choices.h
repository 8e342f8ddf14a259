// What a program has after a branch or loop that goes by data: chosen by selects.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/trace/marks.h"
#include "src/trace/position.h"
#include "src/trace/recorder.h"

namespace t2n::trace {

/// Records what chooses between two values; the recorder may be null as long as nothing is asked.
class Choices {
 public:
  Choices(Position& position, Marks& marks, Recorder* recorder)
      : position_(position), marks_(marks), recorder_(recorder) {}

  /// One of two values, by a condition read from data that is `taken` in this run. Nothing, and the
  /// obstacle, if no select gives it.
  std::optional<c10::IValue> choose(const Mark& condition, bool taken, const c10::IValue& yes,
                                    const c10::IValue& no, std::string& obstacle);
  /// What is chosen is the memory of neither way. `known`: how much there was before both.
  using Values = std::vector<c10::IValue>;
  void forbid_writes(const Values& chosen, const Values& yes, const Values& no, size_t known);
  /// Makes of what a loop leaves something that is there only if it has ended: one row of as many
  /// as `ended` has true elements. False for what is neither tensor nor number.
  bool hold(const FormulaRef& ended, const Mark& mark, const c10::IValue& before,
            c10::IValue& value);

 private:
  Position& position_;
  Marks& marks_;
  Recorder* recorder_;
};

}  // namespace t2n::trace
