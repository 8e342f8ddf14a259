// SPDX-License-Identifier: Apache-2.0
// The command `check`: loads and traces a model, and compares an existing artefact with it.
#pragma once

#include <string>

#include "src/check/check_existing.h"
#include "src/export/traced_model.h"

namespace t2n {

/// Samples are --input's, else those in the model file, else as the artefact declares.
struct CheckExistingOptions : ModelOptions {
  std::string artefact;
  CheckOptions check;
  target::Stream stream;  ///< of --stream: checks pulses as well
};

struct CheckedExisting {
  trace::ModelInfo model;
  CheckedModel result;
};

/// Loads and traces the model, and compares the artefact with it. Errors: those of open_artefact,
/// of loading and tracing, and of check_existing.
CheckedExisting compare_with_model(const CheckExistingOptions& options);

}  // namespace t2n
