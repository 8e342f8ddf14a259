// SPDX-License-Identifier: Apache-2.0
// How deep values contain other values, and how often.
#pragma once

#include <ATen/core/ivalue.h>

#include <string>

namespace t2n::trace {

/// Checks an existing value by the rules of model_file::check_nesting. Returns how many values were
/// visited.
size_t check_nesting(const c10::IValue& value, const std::string& id, const std::string& what);

/// True if a value of the type may contain itself, or nest deeper than the type shows.
bool may_nest(const c10::Type& type);

/// Bounds how many nested values a program may build.
class NestingBudget {
 public:
  /// Called after `value` was stored in a value of this type. Refuses cycles and unbounded nesting:
  /// a cycle always contains the stored value.
  void require_tree(const c10::Type& type, const c10::IValue& value);

 private:
  size_t visited_ = 0;
};

}  // namespace t2n::trace
