// Values inside of values: how deep, and how often.
#pragma once

#include <ATen/core/ivalue.h>

#include <string>

namespace t2n::trace {

/// Refuses a value that exists as model_file::check_nesting does. Returns how many values were
/// looked at.
size_t check_nesting(const c10::IValue& value, const std::string& id, const std::string& what);

/// True if a value of the type may come to contain itself, or hold more levels than the type says.
bool may_nest(const c10::Type& type);

/// How many values inside of values a program may put together.
class NestingBudget {
 public:
  /// After something took a value of this type: one that contains itself, or has endless levels, is
  /// nothing that can be followed. What contains itself does so through the value that was put in.
  void require_tree(const c10::Type& type, const c10::IValue& held);

 private:
  size_t looked_at_ = 0;
};

}  // namespace t2n::trace
