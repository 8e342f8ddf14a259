// SPDX-License-Identifier: Apache-2.0
// Lets a run go on after refusals.
#pragma once

#include <set>

#include "src/diag/error.h"
#include "src/frontend/loops/environment.h"
#include "src/frontend/numbers/marks.h"
#include "src/frontend/record/recorder.h"
#include "src/frontend/run/operations.h"
#include "src/model/survey.h"

namespace t2n::trace {

/// Notes refusals, and gives refused operations results that no earlier refusal can be found in:
/// those of this run, as further inputs of the graph.
class Surveyor {
 public:
  Surveyor(Survey& survey, ir::Graph& graph, Position& position, const Marks& marks,
           Recorder& recorder, Operations& operations)
      : survey_(survey),
        graph_(graph),
        position_(position),
        marks_(marks),
        recorder_(recorder),
        operations_(operations) {}

  /// Whether the run may go on after this error.
  static bool is_refusal(const Error& error) {
    return error.code() == ExitCode::unsupported;
  }
  void note(Diagnostic refusal);
  /// Keeps what an operation reads in the graph, although its results are no part of it.
  void keep(const Values& operands);
  /// The results of a refused operation. Ends the run if it has none.
  Values results_of(torch::jit::Node* node, const Values& operands);
  [[noreturn]] void end();

 private:
  Values guess(const c10::FunctionSchema& schema, const Values& operands);
  Values plain_results(const Operation& operation, const Values& operands);
  void add_inputs(Values& results, bool are_guessed);

  Survey& survey_;
  ir::Graph& graph_;
  Position& position_;
  const Marks& marks_;
  Recorder& recorder_;
  Operations& operations_;
};

}  // namespace t2n::trace
