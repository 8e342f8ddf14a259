// SPDX-License-Identifier: Apache-2.0
// Selects for the values of a program after a branch or loop that depends on data.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/diag/or_reason.h"
#include "src/frontend/loops/environment.h"
#include "src/frontend/record/computed_numbers.h"

namespace t2n::trace {

/// Records the selects that choose between two values. The recorder may be null until it is used.
class Choices {
 public:
  Choices(Position& position, Marks& marks, Recorder* recorder)
      : computed_(position, marks, recorder), marks_(marks) {}

  /// Selects one of two values by a condition read from data; `taken`: its value in this run.
  OrReason<c10::IValue> choose(const Mark& condition, bool taken, const c10::IValue& yes,
                               const c10::IValue& no);
  /// A selected tensor shares memory with neither branch. `roots_before`: the number of roots
  /// before the branch.
  void forbid_writes(const Values& chosen, const Values& yes, const Values& no,
                     size_t roots_before);
  /// Makes the result of a loop exist only if the loop has ended: one row for each true element of
  /// `ended`. Returns false for anything but tensors and numbers.
  bool require_ended(const FormulaRef& ended, const Mark& mark, const c10::IValue& before,
                     c10::IValue& value);

 private:
  ComputedNumbers computed_;
  Marks& marks_;
};

}  // namespace t2n::trace
