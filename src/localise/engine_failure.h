// Finds the statement at which an engine fails.
#pragma once

#include "src/check/check_model.h"

namespace t2n::localise {

/// The error with the statement at which the engine fails, and the operation of the model that it
/// computes. Loads parts of the artefact, each with the results of its last statements.
Diagnostic located_failure(const Checking& checking, Diagnostic error, bool may_export);

}  // namespace t2n::localise
