// SPDX-License-Identifier: Apache-2.0
// Loop rerolling: turns the iterations of a loop into one scan.
#pragma once

#include "src/loops/rerolling.h"

namespace t2n::loops {

/// Replaces the iterations, which are the graph's last nodes, by a scan if all are equal. Only the
/// first one may differ. Errors: `dynamic-loop`.
Rerolled reroll(Rerolling& rerolling, LoopRecord loop);

}  // namespace t2n::loops
