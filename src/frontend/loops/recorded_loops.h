// SPDX-License-Identifier: Apache-2.0
// Loops in the recorded graph: the bounds of their iterations, and the tensors that they computed.
#pragma once

#include <map>

#include "src/frontend/loops/origins.h"
#include "src/frontend/record/recorder.h"
#include "src/loops/note_taker.h"
#include "src/loops/rerolling.h"

namespace t2n::trace {

/// Records where iterations begin and end. `src/loops` compares the iterations when a loop ends,
/// and replaces them. Later, the interpreter queries the results of the comparison.
class RecordedLoops {
 public:
  RecordedLoops(loops::Rerolling& rerolling, Recorder& recorder)
      : rerolling_(rerolling),
        recorder_(recorder),
        origins_(recorder.aliases(), rerolling),
        notes_(rerolling.graph()) {}

  // Loops that become one scan, whose iterations are recorded one after another.
  void begin(const ir::Symbol& number) { rerolling_.begin_loop(number); }
  void end_iteration();
  /// `length`: the number of iterations, over sizes. Errors: `dynamic-loop`, if the iterations are
  /// not isomorphic.
  loops::Rerolled end(const ir::Dim& length, Location location, bool pads_rest);
  /// Which of their iterations computed which tensor.
  const Origins& origins() const { return origins_; }

  /// Notes of loops that stay unrolled.
  loops::NoteTaker& notes() { return notes_; }

 private:
  loops::Rerolling& rerolling_;
  Recorder& recorder_;
  Origins origins_;
  loops::NoteTaker notes_;
};

/// The recorders of a run.
struct Recording {
  Recorder& recorder;
  RecordedLoops& loops;
  std::map<ir::ProgramPoint, int64_t>&
      needs_padding;  ///< receives the entries that TraceOptions::padded lacks
};

}  // namespace t2n::trace
