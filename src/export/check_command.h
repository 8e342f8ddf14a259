// The command `check`: loads and traces a model, and compares an existing artefact with it.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "src/check/check_existing.h"
#include "src/export/dynamic_model.h"

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

struct CheckedExisting {
  trace::ModelInfo model;
  CheckedModel result;
};

/// Loads and traces the model, and compares the artefact with it. Errors: those of open_artefact,
/// of loading and tracing, and of check_existing.
CheckedExisting compare_with_model(const CheckExistingOptions& options);

}  // namespace t2n
