#include "src/trace/recorded_loops.h"

namespace t2n::trace {

void RecordedLoops::end_iteration() {
  rolling_.end_iteration();
  recorder_.end_iteration();
}

loops::Rolled RecordedLoops::end(const ir::Dim& length, Location place) {
  loops::Rolled out = rolling_.end_loop(length, place);
  recorder_.mark_additions();
  return out;
}

}  // namespace t2n::trace
