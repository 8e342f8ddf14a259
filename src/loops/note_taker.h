// SPDX-License-Identifier: Apache-2.0
// Records where a graph's loops are while operations are appended.
#pragma once

#include <map>
#include <vector>

#include "ir/loop_notes.h"
#include "ir/program_point.h"

namespace t2n::loops {

/// Fills the attribute `unrolled_loops` of a graph while operations are appended to it.
class NoteTaker {
 public:
  explicit NoteTaker(ir::Graph& graph) : graph_(graph) {}
  /// `loop`: identifies the program's loop.
  void begin_loop(ir::ProgramPoint loop);
  void end_iteration();
  void end_loop();

 private:
  ir::Graph& graph_;
  std::map<ir::ProgramPoint, int64_t> known_;
  std::vector<ir::UnrolledLoop> open_;
};

}  // namespace t2n::loops
