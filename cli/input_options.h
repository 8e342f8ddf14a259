// The options that say how a model is called, shared by every command that traces one.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "src/export/pipeline.h"

namespace CLI {  // NOLINT(readability-identifier-naming): not ours
class App;
}

namespace t2n::cli {

struct InputOptions {
  std::vector<std::string> specs;            ///< of --input
  std::vector<std::string> methods;          ///< of --method; none: forward
  std::vector<std::string> dynamic;          ///< of --dynamic
  std::vector<std::string> assertions;       ///< of --assert
  bool explicit_states = false;              ///< of --state
  std::vector<std::string> accepted_guards;  ///< of --accept-guard
  std::vector<std::string> max_iterations;   ///< of --max-iterations
  std::string preset;                        ///< of --preset, of `export` alone
};

/// Of loops whose end follows from data, by place. Errors: `usage`.
std::map<std::string, int64_t> max_iterations(const InputOptions& options);
DynamicOptions dynamic_options(const InputOptions& options);

/// Of a command that takes one.   Errors: `usage` for several.
std::string one_method(const InputOptions& options);

/// What the pipeline is to trace, and how.
ExportOptions traced_options(const std::string& model, const InputOptions& options,
                             const Report& report);

void add_input_options(CLI::App& command, InputOptions& options);
void add_disable_pass(CLI::App& command, std::vector<std::string>& disabled);

/// Whether an option is given that says how a model is traced; --input is none of them.
bool has_trace_options(const InputOptions& options);
/// Of a graph as text, which is not traced any more. `runs`: it is run on what --input gives.
/// Errors: `usage` where an option would say nothing.
void refuse_trace_options(const std::string& graph, const InputOptions& options, bool runs);

/// The path given, or Error `usage` with the line to type.
const std::string& require_model(const std::string& model, const char* command);

/// The same of an artefact; `example` is what to type after "t2nnef". Errors: `model-not-found`,
/// `model-format` for a TorchScript file, with `help` or else the way to an artefact.
const std::string& require_artefact(const std::string& artefact, const char* example,
                                    const std::string& help = {});

}  // namespace t2n::cli
