// SPDX-License-Identifier: Apache-2.0
// Finds where an artefact begins to differ from its model, and the statement at which an engine
// fails.
#pragma once

#include "src/check/check_model.h"

namespace t2n::localise {

struct Options {
  Localise when = Localise::on_failure;
  /// An export of the model may be compared with the file: no accepted guard makes its numbers
  /// depend on the inputs of the trace.
  bool compares_export = true;
};

/// For CheckOptions::localiser. Errors of localising do not replace those of the check: the result
/// then says why nothing was found.
Localiser localiser(const Options& options);

}  // namespace t2n::localise
