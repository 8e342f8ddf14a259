// SPDX-License-Identifier: Apache-2.0
#include "src/loops/note_taker.h"

namespace t2n::loops {

void NoteTaker::begin_loop(ir::ProgramPoint loop) {
  ir::UnrolledLoop note;
  note.loop = known_.try_emplace(loop, static_cast<int64_t>(known_.size())).first->second;
  note.number.what.emplace<ir::Symbol::Iteration>(static_cast<int64_t>(open_.size()));
  note.bounds = {graph_.nodes.size()};
  open_.push_back(std::move(note));
}

void NoteTaker::end_iteration() { open_.back().bounds.push_back(graph_.nodes.size()); }

void NoteTaker::end_loop() {
  ir::UnrolledLoop note = std::move(open_.back());
  open_.pop_back();
  note.length = static_cast<int64_t>(note.bounds.size()) - 1;
  if (note.bounds.front() == note.bounds.back()) return;
  std::any& notes = graph_.attributes[ir::kUnrolledLoops];
  if (!notes.has_value()) notes = std::vector<ir::UnrolledLoop>();
  std::any_cast<std::vector<ir::UnrolledLoop>&>(notes).push_back(std::move(note));
}

}  // namespace t2n::loops
