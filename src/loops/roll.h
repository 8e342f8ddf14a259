// Turns the iterations of a loop into one scan.
#pragma once

#include "src/loops/rolling.h"

namespace t2n::loops {

/// Replaces the iterations, which are the graph's last nodes, by a scan if all are equal; only the
/// first one may differ. Errors: `dynamic-loop`.
Rolled roll(Rolling& rolling, LoopRecord loop);

}  // namespace t2n::loops
