// SPDX-License-Identifier: Apache-2.0
// Finds violations of the specification in an artefact, with their locations in its text.
#pragma once

#include <string>
#include <vector>

#include "src/diag/error.h"
#include "src/nnef/artefact.h"

namespace t2n::report {

/// Documents without extensions: all violations of strict NNEF. Others: calls of unknown operations
/// or with wrong arguments, undefined names, and for tract, incompatible shapes at sizes that the
/// file allows. Returns `nnef-violation` diagnostics in the order of the statements as far as they
/// are known; those of submodels follow, with their labels.
std::vector<Diagnostic> violations(const nnef::Artefact& artefact);
/// The error of an engine that rejects an artefact, with all violations in it as others.
Error with_violations(const Error& error, const std::string& path);

}  // namespace t2n::report
