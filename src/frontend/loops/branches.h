// SPDX-License-Identifier: Apache-2.0
// Runs the branches of a program.
#pragma once

#include <string>
#include <vector>

#include "src/diag/or_reason.h"
#include "src/frontend/loops/choices.h"
#include "src/frontend/loops/environment.h"
#include "src/frontend/loops/recorded_loops.h"
#include "src/frontend/loops/running_loops.h"
#include "src/frontend/loops/speculation.h"

namespace t2n::trace {

/// Takes the branch that the values take, and notes a decision if sizes decide. If data decides,
/// both branches run, and a select chooses between their results.
class Branches {
 public:
  /// `recording`: null for a run that is only executed.
  Branches(const TraceOptions& options, const Recording* recording, Position& position,
           Marks& marks, Decisions& decisions, RunningLoops& running, RunBlock run_block)
      : options_(options),
        recording_(recording),
        recorder_(recording == nullptr ? nullptr : &recording->recorder),
        position_(position),
        marks_(marks),
        decisions_(decisions),
        running_(running),
        choices_(position, marks, recorder_),
        run_block_(std::move(run_block)) {}

  void run(torch::jit::Node* node, Environment& env);
  void run_block(torch::jit::Block* block, Environment& env) const { run_block_(block, env); }
  /// Runs a block that is taken where `condition` holds; `holds`: whether this run takes it. There
  /// is no result if the block has effects that cannot be undone, or fails in a run that does not
  /// take it.
  OrReason<Values> run_speculatively(torch::jit::Block* block, Environment& env,
                                     const FormulaRef& condition, bool holds);
  /// The operands with which an operation also runs where the enclosing branch is not taken.
  Values protect(const torch::jit::Node* node, const c10::FunctionSchema& schema, Values inputs);
  Speculation& speculation() { return speculation_; }
  Choices& choices() { return choices_; }

 private:
  OrReason<Values> select(torch::jit::Node* node, const Mark& condition, bool taken,
                          Environment& env);

  const TraceOptions& options_;
  const Recording* recording_;
  Recorder* recorder_;
  Position& position_;
  Marks& marks_;
  Decisions& decisions_;
  RunningLoops& running_;
  Choices choices_;
  Speculation speculation_;
  RunBlock run_block_;
};

}  // namespace t2n::trace
