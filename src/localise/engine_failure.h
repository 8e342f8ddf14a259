// SPDX-License-Identifier: Apache-2.0
// Finds the statement at which an engine fails.
#pragma once

#include "src/localise/artefact_tensors.h"

namespace t2n::localise {

/// The error with the statement at which the engine fails, and the operation of the model that it
/// computes. Loads parts of the artefact, each with the results of its last statements.
Diagnostic located_failure(const Checking& checking, Diagnostic error, bool may_export);

/// The operation of the model that a tensor's statement computes, by the structure of an export.
nnef::Origin origin_of_statement(const Checking& checking, const ArtefactTensors& artefact,
                                 size_t tensor, bool may_export);

}  // namespace t2n::localise
