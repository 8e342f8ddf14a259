// Ways of the program that only some values take, and that are run all the same.
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

/// What a way does cannot be undone where another way is taken.
class LastingEffect : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The conditions under which what runs now counts, from the outermost on. A way may change what it
/// made itself, and nothing else.
class Ways {
 public:
  bool empty() const { return ways_.empty(); }
  size_t depth() const { return ways_.size(); }
  /// `condition`: a truth. `roots`: how much memory is known before it.
  void enter(const FormulaRef& condition, size_t roots);
  void leave_to(size_t depth) { ways_.resize(depth); }

  /// A list, dictionary or object that came to be.
  void note_made(const c10::IValue& value);
  /// Errors: LastingEffect, if an operation would write to what was there before the way.
  void require_own(const c10::FunctionSchema& schema, const torch::jit::Stack& inputs,
                   const Tracks& tracks) const;
  void require_own(const c10::IValue& changed) const;
  /// Whether all that surrounds what runs now is so; null where nothing does.
  FormulaRef condition() const { return ways_.empty() ? nullptr : ways_.back().condition; }

 private:
  struct Way {
    FormulaRef condition;  ///< and those of the ways around it
    size_t roots = 0;
    std::set<const void*> made;
  };
  std::vector<Way> ways_;
};

}  // namespace t2n::trace
