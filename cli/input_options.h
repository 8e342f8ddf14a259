// The options that say how a model is called, shared by every command that traces one.
#pragma once

#include <string>
#include <vector>

#include "src/export/dynamic_model.h"

namespace CLI {  // NOLINT(readability-identifier-naming): not ours
class App;
}

namespace t2n::cli {

struct InputOptions {
  std::vector<std::string> specs;  ///< of --input
  std::string method = "forward";
  std::vector<std::string> dynamic;     ///< of --dynamic
  std::vector<std::string> assertions;  ///< of --assert
  bool explicit_states = false;         ///< of --state
};

DynamicOptions dynamic_options(const InputOptions& options);

void add_input_options(CLI::App& command, InputOptions& options);

/// The path given, or Error `usage` with the line to type.
const std::string& require_model(const std::string& model, const char* command);

/// The same of an artefact; `example` is what to type after "t2nnef". Errors: `model-not-found`,
/// `model-format` for a TorchScript file, with `help` or else the way to an artefact.
const std::string& require_artefact(const std::string& artefact, const char* example,
                                    const std::string& help = {});

}  // namespace t2n::cli
