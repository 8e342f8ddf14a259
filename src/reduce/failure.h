// SPDX-License-Identifier: Apache-2.0
// What fails in a command with the same options, and how a part of the model is tried.
#pragma once

#include <memory>
#include <optional>

#include "src/check/engine.h"
#include "src/nnef/artefact.h"
#include "src/reduce/artefact_part.h"
#include "src/reduce/judge.h"
#include "src/reduce/reduce.h"

namespace t2n::reduce {

/// The engine of a check, and the artefact of --against. Made before the model is loaded, which
/// confines the process.
struct Opened {
  FoundEngine engine;  ///< without a runner if nothing is run
  std::optional<nnef::Artefact> against;
};
Opened open(const ReduceOptions& options);

/// A model that fails.
struct Failing {
  std::shared_ptr<Subject> subject;
  Kept kept;
  Diagnostic first;  ///< of the model
  Judge judge;
  /// The artefact of a part that fails; nothing if the export itself fails.
  std::function<std::optional<nnef::Document>(const Part& part)> document;
  bool is_of_artefact = false;  ///< of --against: parts are cut from it
};

/// The failure of a traced model. Errors: `not-reducible` if there is none; those of compression.
Failing failure_of_model(const TracedModel& model, const ReduceOptions& options,
                         const Opened& opened);

}  // namespace t2n::reduce
