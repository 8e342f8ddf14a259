// SPDX-License-Identifier: Apache-2.0
// Runs the loops of a program.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "src/frontend/loops/branches.h"
#include "src/frontend/loops/lists.h"

namespace t2n::trace {

/// Loops run iteration by iteration. Those of dynamic length are recorded as one scan. Those that
/// data ends run the maximum number of iterations, and selects choose the values that the program
/// had when the loop ended.
class Loops {
 public:
  /// `recording`: null for a run that is only executed.
  Loops(const TraceOptions& options, const Recording* recording, Position& position,
        Decisions& decisions, RunningLoops& running, Lists& lists, Branches& branches)
      : options_(options),
        recorder_(recording == nullptr ? nullptr : &recording->recorder),
        recorded_loops_(recording == nullptr ? nullptr : &recording->loops),
        needs_padding_(recording == nullptr ? nullptr : &recording->needs_padding),
        position_(position),
        decisions_(decisions),
        running_(running),
        lists_(lists),
        branches_(branches) {}

  void run(torch::jit::Node* node, Environment& env);

 private:
  void run_rerolled(torch::jit::Node* node, Environment& env);
  void run_iteration(torch::jit::Block* body, Environment& env, RerolledLoop& loop);
  struct State {
    c10::IValue trips, condition;
    int64_t iteration = 0;
  };
  bool ends_by_data(const c10::IValue& trips, const c10::IValue& condition);
  std::optional<int64_t> iteration_bound(const State& loop);
  int64_t run_masked(torch::jit::Node* node, State loop, Values& carried, Environment& env);

  const TraceOptions& options_;
  Recorder* recorder_;
  RecordedLoops* recorded_loops_;
  std::map<ir::ProgramPoint, int64_t>* needs_padding_;
  Position& position_;
  Decisions& decisions_;
  RunningLoops& running_;
  Lists& lists_;
  Branches& branches_;
};

}  // namespace t2n::trace
