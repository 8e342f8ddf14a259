// SPDX-License-Identifier: Apache-2.0
// Compares an existing artefact of any exporter with its source model.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/check/check_model.h"
#include "src/nnef/artefact.h"
#include "src/spec/input_facts.h"

namespace t2n {

/// A valid artefact, and the engine that is to run it.
struct OpenedArtefact {
  std::string path;
  nnef::Artefact artefact;
  std::vector<spec::InputFact> inputs;  ///< as declared
  FoundEngine engine;
};
/// Call it before the model is loaded, which confines the process. Errors: those of reading and of
/// find_engine; `usage` if the artefact streams along another symbol than `stream`.
OpenedArtefact open_artefact(const std::string& path, const CheckOptions& options,
                             const target::Stream& stream, const Report& report);

/// Samples with the shapes and dtypes that the artefact declares, for a model without samples; none
/// if a size is dynamic.   Errors: `nnef-limit`.
std::vector<Sample> declared_samples(const std::vector<spec::InputFact>& facts);

struct CheckedModel {
  std::vector<spec::InputFact> inputs;  ///< as the artefact declares them
  CheckResult checked;                  ///< rows have the artefact's names, in the model's order
  /// The first difference from a new export, if this version wrote the file: always an error.
  std::optional<Diagnostic> other_contents;
  bool is_as_exported = false;  ///< its contents were compared, and equal a new export's
};

/// Runs and compares both; judge() gives the overall verdict. Inputs and outputs match by name if
/// the names are equal, else by position; the artefact may lack inputs of the model.
/// `compares_contents`: also compares the file with a new export. Errors: `signature-mismatch`, and
/// those of running.
CheckedModel check_existing(const OpenedArtefact& opened, const SourceModel& model,
                            const CheckOptions& options, const target::Stream& stream,
                            bool compares_contents);

}  // namespace t2n
