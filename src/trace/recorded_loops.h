// Loops in the recorded graph: where their iterations begin and end, and which tensors they made.
#pragma once

#include <map>

#include "src/loops/note_taker.h"
#include "src/loops/rolling.h"
#include "src/trace/origins.h"
#include "src/trace/recorder.h"

namespace t2n::trace {

/// Says where iterations begin and end. `src/loops` compares them when a loop ends, and replaces
/// them. The interpreter asks for what the comparison found, as the program goes on.
class RecordedLoops {
 public:
  RecordedLoops(loops::Rolling& rolling, Recorder& recorder)
      : rolling_(rolling),
        recorder_(recorder),
        origins_(recorder.aliases(), rolling),
        notes_(rolling.graph()) {}

  // Loops that become one scan, whose iterations are recorded one after another.
  void begin(const ir::Symbol& number) { rolling_.begin_loop(number); }
  void end_iteration();
  /// `length`: the number of iterations, over sizes. Errors: `dynamic-loop`, if the iterations are
  /// not alike.
  loops::Rolled end(const ir::Dim& length, Location place);
  /// Which of their iterations made which tensor.
  const Origins& origins() const { return origins_; }

  /// Notes of loops that stay unrolled.
  loops::NoteTaker& notes() { return notes_; }

 private:
  loops::Rolling& rolling_;
  Recorder& recorder_;
  Origins origins_;
  loops::NoteTaker notes_;
};

/// What records a run.
struct Recording {
  Recorder& recorder;
  RecordedLoops& loops;
  std::map<const void*, int64_t>& needs_padding;  ///< takes what TraceOptions::padded should hold
};

}  // namespace t2n::trace
