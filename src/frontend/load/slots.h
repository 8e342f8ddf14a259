// SPDX-License-Identifier: Apache-2.0
// Checks that a loaded object's attributes have the types that its class declares.
#pragma once

#include <ATen/core/ivalue.h>

namespace t2n::trace {

/// Refuses an object with an attribute of a wrong type, which code would misinterpret. Errors:
/// `model-corrupt`.
void check_slots(const c10::ivalue::Object& object);

/// True if the value has the type, down to the elements of containers. A marked number is still a
/// number.
bool fits(const c10::IValue& value, const c10::TypePtr& type);

/// Refuses tensors that are not plain memory, and quantised tensors whose scales do not fit:
/// LibTorch does not check them when it reads a pickle. Errors: `model-corrupt`,
/// `unsupported-dtype`.
void check_tensors(const c10::IValue& value);

}  // namespace t2n::trace
