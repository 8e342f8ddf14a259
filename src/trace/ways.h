// Branches that are run although only some values take them.
#pragma once

#include <ATen/core/function_schema.h>
#include <ATen/core/ivalue.h>

#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "src/trace/formula.h"
#include "src/trace/tracks.h"

namespace t2n::trace {

/// The branch does something that cannot be undone if another branch is taken.
class LastingEffect : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The conditions under which the running code counts, outermost first. A branch may change what it
/// made itself, and nothing else.
class Ways {
 public:
  bool empty() const { return ways_.empty(); }
  size_t depth() const { return ways_.size(); }
  /// `condition`: a bool. `roots`: the number of known roots before the branch.
  void enter(const FormulaRef& condition, size_t roots);
  void leave_to(size_t depth) { ways_.resize(depth); }

  /// A list, dictionary or object was created.
  void note_made(const c10::IValue& value);
  /// Errors: LastingEffect, if an operation would write to anything older than the branch.
  void require_own(const c10::FunctionSchema& schema, const torch::jit::Stack& inputs,
                   const Tracks& tracks) const;
  void require_own(const c10::IValue& changed) const;
  /// The conjunction of all surrounding conditions; null if there is none.
  FormulaRef condition() const { return ways_.empty() ? nullptr : ways_.back().condition; }

 private:
  struct Way {
    FormulaRef condition;  ///< with those of the branches around it
    size_t roots = 0;
    std::set<const void*> made;
  };
  std::vector<Way> ways_;
};

}  // namespace t2n::trace
