// SPDX-License-Identifier: Apache-2.0
// Runs a class's `__setstate__` while a file is loaded, in the interpreter that runs forward.
#pragma once

#include <ATen/core/ivalue.h>

#include "src/frontend/load/source_map.h"

namespace t2n::trace {

/// An object of the class, created by its `__setstate__` from the state that the file stores. All
/// code that it calls must have been scanned. Errors: those of forward.
c10::intrusive_ptr<c10::ivalue::Object> make_by_setstate(const c10::StrongTypePtr& type,
                                                         const c10::IValue& state,
                                                         SourceMap& sources);

}  // namespace t2n::trace
