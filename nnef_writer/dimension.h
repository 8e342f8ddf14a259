// Sizes as targets spell them.
#pragma once

#include <string>

#include "ir/shape.h"

namespace t2n::nnef {

/// `2*S + 1`, `((S + 1)/2)`: for tract, whose division truncates, and which knows no remainder and
/// no sign before a number. Errors: `unsupported-argument` where it has no form.
std::string tract_text(const ir::Dim& dim);
/// Whether it has one.
bool has_tract_text(const ir::Dim& dim);

}  // namespace t2n::nnef
