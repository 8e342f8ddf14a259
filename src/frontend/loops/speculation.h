// SPDX-License-Identifier: Apache-2.0
// Branches that run although only some values take them.
#pragma once

#include <ATen/core/function_schema.h>
#include <ATen/core/ivalue.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "src/frontend/numbers/formula.h"
#include "src/frontend/record/alias_table.h"

namespace t2n::trace {

/// The conditions under which the running code has an effect, outermost first. A branch may only
/// change values that it created itself.
class Speculation {
 public:
  bool empty() const { return branches_.empty(); }
  size_t depth() const { return branches_.size(); }
  /// `condition`: a bool; `holds`: its value in this run. `roots`: the number of known roots before
  /// the branch.
  void enter(const FormulaRef& condition, bool holds, size_t roots);
  void leave_to(size_t depth) { branches_.resize(depth); }

  /// A list, dictionary or object was created.
  void note_created(const c10::IValue& value);
  /// Notes the results of an operation that are new, rather than elements of existing containers.
  void note_created(const c10::FunctionSchema& schema, const torch::jit::Stack& results);
  /// Ends the branch if an operation would write to a value from before the branch.
  void require_own(const c10::FunctionSchema& schema, const torch::jit::Stack& inputs,
                   const AliasTable& aliases);
  void require_own(const c10::IValue& changed);
  /// Ends the branch because of an effect that cannot be undone. `effect`: "raises an exception".
  /// Errors: `data-dependent-branch`.
  [[noreturn]] void end(std::string effect);
  /// The effect after such an error; "" after any other.
  std::string take_effect() { return std::exchange(effect_, {}); }
  /// The conjunction of all surrounding conditions; null if there is none.
  FormulaRef condition() const { return branches_.empty() ? nullptr : branches_.back().condition; }
  /// Whether it holds in this run, so that torch also runs this code.
  bool holds() const { return branches_.empty() || branches_.back().holds; }

 private:
  struct Branch {
    FormulaRef condition;  ///< including those of the enclosing branches
    bool holds = false;
    size_t roots = 0;
    std::set<const void*> created;
  };
  std::vector<Branch> branches_;
  std::string effect_;
};

}  // namespace t2n::trace
