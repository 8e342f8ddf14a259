// SPDX-License-Identifier: Apache-2.0
// Options for calling a model, shared by all commands that trace one.
#pragma once

#include <string>
#include <vector>

#include "cli/options/app.h"
#include "src/export/pipeline.h"

namespace t2n::cli {

struct InputOptions {
  std::vector<std::string> specs;            ///< of --input
  std::vector<std::string> methods;          ///< of --method; none: forward
  std::vector<std::string> dynamic;          ///< of --dynamic
  std::vector<std::string> assertions;       ///< of --assert
  std::vector<std::string> closed;           ///< of --specialize
  bool explicit_states = false;              ///< of --state
  std::vector<std::string> accepted_guards;  ///< of --accept-guard
  std::vector<std::string> max_iterations;   ///< of --max-iterations
  std::vector<std::string> fragments;        ///< of --fragment
  std::vector<std::string> module_ops;       ///< of --module-op
  std::vector<std::string> plugins;          ///< of --plugin
  std::string preset;                        ///< of --preset, which only `export` has
};

/// The method of a command that takes one.   Errors: `usage` for several.
std::string one_method(const InputOptions& options);

/// Makes the user's operators those of this process, for a target; without one, as model_options()
/// does, in the dialect of the fragments. Errors: those of read_extensions.
void use_extensions(const InputOptions& options, const target::Target* target = nullptr);

/// " --fragment own.nnef", for a command line to show.
std::string extension_arguments(const InputOptions& options);

/// What a command is to trace, and how.
ModelOptions model_options(const std::string& model, const InputOptions& options,
                           const Report& report);
/// The same for the pipeline.
ExportOptions traced_options(const std::string& model, const InputOptions& options,
                             const Report& report);

void add_input_options(CLI::App& command, InputOptions& options);
/// --seed, for a command that draws values.
void add_seed(CLI::App& command);
void add_disable_pass(CLI::App& command, std::vector<std::string>& disabled);

/// Whether an option for tracing is given; --input does not count.
bool has_trace_options(const InputOptions& options);
/// Refuses options for a graph in text form, which is not traced. `runs`: the graph is run on the
/// inputs of --input.
/// Errors: `usage` for an option without effect.
void refuse_trace_options(const std::string& graph, const InputOptions& options, bool runs);

/// The given path, or Error `usage` with an example.
const std::string& require_model(const std::string& model, const char* command);

/// The same for an artefact; `example` is what to type after "t2nnef". Errors: `model-not-found`,
/// `model-format` for a TorchScript file, with `help`, by default how to export it.
const std::string& require_artefact(const std::string& artefact, const char* example,
                                    const std::string& help = {});

}  // namespace t2n::cli
