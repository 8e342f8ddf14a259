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

}  // namespace t2n::trace
