// How deep values contain other values, and how often.
#pragma once

#include <ATen/core/ivalue.h>

#include <string>

namespace t2n::trace {

/// Refuses an existing value by the rules of model_file::check_nesting. Returns how many values
/// were visited.
size_t check_nesting(const c10::IValue& value, const std::string& id, const std::string& what);

/// True if a value of the type may contain itself, or nest deeper than the type shows.
bool may_nest(const c10::Type& type);

/// Bounds how many nested values a program may build.
class NestingBudget {
 public:
  /// Called after a value of this type received `held`. Refuses cycles and endless nesting: a cycle
  /// always contains the value that was put in.
  void require_tree(const c10::Type& type, const c10::IValue& held);

 private:
  size_t looked_at_ = 0;
};

}  // namespace t2n::trace
