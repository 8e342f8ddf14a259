// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/loops/recorded_loops.h"

namespace t2n::trace {

void RecordedLoops::end_iteration() {
  rerolling_.end_iteration();
  recorder_.end_iteration();
}

loops::Rerolled RecordedLoops::end(const ir::Dim& length, Location location, bool pads_rest) {
  loops::Rerolled out = rerolling_.end_loop(length, location, pads_rest);
  recorder_.mark_additions();
  return out;
}

}  // namespace t2n::trace
