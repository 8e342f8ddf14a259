// Branches that are run although only some values take them.
#pragma once

#include <ATen/core/function_schema.h>
#include <ATen/core/ivalue.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "src/trace/alias_table.h"
#include "src/trace/formula.h"

namespace t2n::trace {

/// The conditions under which the running code counts, outermost first. A branch may change what it
/// made itself, and nothing else.
class Speculation {
 public:
  bool empty() const { return branches_.empty(); }
  size_t depth() const { return branches_.size(); }
  /// `condition`: a bool, which `holds` in this run or not. `roots`: the number of known roots
  /// before the branch.
  void enter(const FormulaRef& condition, bool holds, size_t roots);
  void leave_to(size_t depth) { branches_.resize(depth); }

  /// A list, dictionary or object was created.
  void note_made(const c10::IValue& value);
  /// Those results of an operation that are new, rather than elements of what was there before.
  void note_made(const c10::FunctionSchema& schema, const torch::jit::Stack& results);
  /// Ends the branch if an operation would write to anything that is older.
  void require_own(const c10::FunctionSchema& schema, const torch::jit::Stack& inputs,
                   const AliasTable& aliases);
  void require_own(const c10::IValue& changed);
  /// Ends the branch: it does what cannot be undone if another branch is taken. `effect`: "raises
  /// an exception". Errors: `data-dependent-branch`.
  [[noreturn]] void end(std::string effect);
  /// After such an error: the effect. "" after any other.
  std::string take_effect() { return std::exchange(effect_, {}); }
  /// The conjunction of all surrounding conditions; null if there is none.
  FormulaRef condition() const { return branches_.empty() ? nullptr : branches_.back().condition; }
  /// Whether it holds in this run, so that torch runs this code as well.
  bool holds() const { return branches_.empty() || branches_.back().holds; }

 private:
  struct Branch {
    FormulaRef condition;  ///< with those of the branches around it
    bool holds = false;
    size_t roots = 0;
    std::set<const void*> made;
  };
  std::vector<Branch> branches_;
  std::string effect_;
};

}  // namespace t2n::trace
