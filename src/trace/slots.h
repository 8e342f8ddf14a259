// What a loaded object holds is what its class says.
#pragma once

#include <ATen/core/ivalue.h>

namespace t2n::trace {

/// Refuses an object whose attributes are not of their types: code would take one thing for
/// another. Errors: `model-corrupt`.
void check_slots(const c10::ivalue::Object& object);

/// True if the value is what the type says, down to the elements of containers. A number that
/// carries a mark is still a number.
bool fits(const c10::IValue& value, const c10::TypePtr& type);

/// Refuses sparse and other tensors that are no plain memory, and quantised ones whose scales do
/// not fit: LibTorch takes what a pickle says of them for granted. Errors: `model-corrupt`.
void check_tensors(const c10::IValue& value);

}  // namespace t2n::trace
