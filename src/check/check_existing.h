// Compares an existing artefact of any exporter with its source model.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "src/check/check_model.h"
#include "src/spec/input_facts.h"

namespace t2n {

struct CheckExistingOptions {
  std::string model;
  std::string artefact;
  std::string method = "forward";
  std::vector<Sample>
      samples;  ///< of --input, else those in the model file, else as the artefact declares
  DynamicOptions dynamic;
  std::set<std::string> accepted_guards;
  std::map<std::string, int64_t> max_iterations;  ///< of --max-iterations: by "model.py:8"
  bool explicit_states = false;
  CheckOptions check;
  target::Stream stream;  ///< of --stream: checks pulses as well
  Report report;
  /// Called when a stage begins: "load", "trace", "check".
  std::function<void(std::string_view stage)> progress;
};

struct CheckedModel {
  trace::ModelInfo model;
  std::vector<spec::InputFact> inputs;  ///< as the artefact declares them
  CheckResult checked;                  ///< rows have the artefact's names, in the model's order
  /// The first difference from a new export, if this version wrote the file: always an error.
  std::optional<Diagnostic> other_contents;
  bool is_as_exported = false;  ///< its contents were compared, and equal a new export's
};

/// Runs and compares both; judge() gives the overall verdict. Inputs and outputs
/// match by name if the names are equal, else by position; the artefact may lack inputs of the
/// model. Errors: `signature-mismatch`, and those of reading, tracing and running.
CheckedModel check_existing(const CheckExistingOptions& options);

}  // namespace t2n
