// SPDX-License-Identifier: Apache-2.0
// out[:, t] = h: states of which each iteration writes one slice.
#pragma once

#include <vector>

#include "src/loops/body.h"
#include "src/loops/recurrence.h"

namespace t2n::loops {

/// Removes writes to such states from the body, and views of them that nothing reads. `number`: the
/// symbol of the iteration number.
std::vector<Filled> take_filled(Recurrence& found, Body& body, const ir::Symbol& number);

}  // namespace t2n::loops
