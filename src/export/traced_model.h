// SPDX-License-Identifier: Apache-2.0
// Brings a model from its file to a traced, verified graph, with its samples.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "src/diag/steps.h"
#include "src/export/dynamic_model.h"
#include "src/samples/samples.h"

namespace t2n {

/// Which model a command traces, and how.
struct ModelOptions {
  std::string model;  ///< its path
  std::string method = "forward";
  std::vector<Sample> samples;  ///< of --input, overriding those in the file
  DynamicOptions dynamic;
  std::set<std::string> accepted_guards;          ///< of --accept-guard: "model.py:8"
  std::map<std::string, int64_t> max_iterations;  ///< of --max-iterations: by "model.py:8"
  bool explicit_states = false;                   ///< of --state
  bool reroll_loops = false;  ///< of --roll-loops: loops become scans, at the samples' sizes
  Report report;
  /// Of `export`: "inputs", "names", "trace", "compress", "translate", "write", "check", "done".
  Progress progress;

  void begin(std::string_view step) const { progress.begin(step); }
};

/// A model in a session of LibTorch, from its file, or a graph in text form.
struct LoadedModel {
  trace::ModelInfo info;
  std::shared_ptr<trace::Session> session;  ///< nullptr for a graph
  std::optional<ir::Graph> graph;           ///< of FILE.ir, which is not traced
  std::vector<Sample> samples;              ///< the user's, completed by the file's
  bool samples_from_file = false;           ///< the user gave none
  std::vector<dynamic::AxisSpec> closed;    ///< axes that --specialize closed, with their sizes
};

/// The path may be that of a graph, FILE.ir.   Errors: those of the readers.
LoadedModel load_model(const ModelOptions& options);
/// The same model with other samples of the user.
LoadedModel with_samples(LoadedModel model, const std::vector<Sample>& samples);

/// A loaded model, whose samples have the ranges and states of a trace, and the trace.
struct TracedModel : LoadedModel {
  trace::Traced traced;                          ///< verified, in plain operations
  std::vector<std::string> inputs;               ///< names of the graph's inputs
  std::optional<dynamic::DynamicTrace> dynamic;  ///< its `traced` is moved to the field above
};

/// Traces a loaded model. Errors: those of the tracer, and, with dynamic axes, of
/// trace_dynamic_model.
TracedModel trace_model(const LoadedModel& loaded, const ModelOptions& options);
/// The same, for refusals only: each number that the program reads from data is a constant.
void trace_with_fixed_numbers(const LoadedModel& loaded, const ModelOptions& options);
/// A run that goes on after refusals. `keeps_sizes`: sizes are expressions, as with dynamic axes.
/// Errors: those of the inputs.
trace::Survey survey_model(const LoadedModel& loaded, const ModelOptions& options, bool keeps_sizes,
                           bool* met_unbacked_sizes);
/// The same at the samples' sizes, without reports.
TracedModel trace_at_one_size(const LoadedModel& loaded, const ModelOptions& options);
/// The same as trace_model. If the model cannot be exported with minima and maxima of sizes
/// (`has_file` is false), resolves them by the probe traces.
TracedModel trace_to_export(const LoadedModel& loaded, const ModelOptions& options,
                            const std::function<bool(const TracedModel&)>& has_file);

}  // namespace t2n
