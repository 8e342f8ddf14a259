// SPDX-License-Identifier: Apache-2.0
// Finds where an artefact in pulses begins to differ from itself on the entire input.
#pragma once

#include "src/localise/artefact_tensors.h"

namespace t2n::localise {

/// For a set that is fed in pulses, and an artefact that is right on the entire inputs.
/// `may_export`: operations of the model may be found in an export.
Localisation localised_in_pulses(const Checking& checking, const InputSet& set, Localise when,
                                 bool may_export);

}  // namespace t2n::localise
