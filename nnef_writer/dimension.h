// Sizes in the notation of targets.
#pragma once

#include <string>

#include "ir/shape.h"

namespace t2n::nnef {

/// `2*S + 1`, `((S + 1)/2)`: for tract, whose division truncates, and which has neither a remainder
/// nor a sign before a number. Errors: `unsupported-argument` if it has no form.
std::string tract_text(const ir::Dim& dim);
/// The expression that tract reads there. It finds sizes equal that are the same polynomial over
/// the same quotients: (S + 1)/2 is none of S - S/2.
ir::Dim tract_form(const ir::Dim& dim);
/// Whether it has a form.
bool has_tract_text(const ir::Dim& dim);
/// Refuses quotients inside of each other that tract does not get through, computed or not.
void refuse_many_quotients(const ir::Dim& dim);

}  // namespace t2n::nnef
