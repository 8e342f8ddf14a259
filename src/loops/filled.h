// out[:, t] = h: a state of which each iteration writes one slice.
#pragma once

#include <vector>

#include "src/loops/body.h"
#include "src/loops/recurrence.h"

namespace t2n::loops {

/// Removes from the body what writes to such states, and views of them that nothing reads.
/// `number`: the symbol of the iteration's number.
std::vector<Filled> take_filled(Recurrence& found, Body& body, const ir::Symbol& number);

}  // namespace t2n::loops
