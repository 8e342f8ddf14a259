// Runs `__setstate__` of a class while a file is loaded, as forward is run.
#pragma once

#include <ATen/core/ivalue.h>

#include "src/trace/source_map.h"

namespace t2n::trace {

/// An object of the class, made by its own `__setstate__` from what the file holds for it. All that
/// it calls must have been scanned. Errors: as those of forward.
c10::intrusive_ptr<c10::ivalue::Object> make_by_setstate(const c10::StrongTypePtr& type,
                                                         const c10::IValue& state,
                                                         SourceMap& sources);

}  // namespace t2n::trace
