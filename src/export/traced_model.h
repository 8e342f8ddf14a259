// Brings a model from its file to a traced, verified graph, with its samples.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "src/export/dynamic_model.h"
#include "src/samples/samples.h"

namespace t2n {

/// A model in a session of LibTorch, from its file.
struct LoadedModel {
  trace::ModelInfo info;
  std::shared_ptr<trace::Session> session;
  std::vector<Sample> samples;     ///< the user's, completed by the file's
  bool samples_from_file = false;  ///< the user gave none
};

/// `samples` override those in the file.
LoadedModel load_model(const std::string& path, const std::string& method,
                       const std::vector<Sample>& samples);
/// The same model with other samples of the user.
LoadedModel with_samples(LoadedModel model, const std::vector<Sample>& samples);

/// A loaded model, whose samples have the ranges and states of a trace, and the trace.
struct TracedModel : LoadedModel {
  trace::Traced traced;                          ///< verified, in plain operations
  std::vector<std::string> inputs;               ///< names of the graph's inputs
  std::optional<dynamic::DynamicTrace> dynamic;  ///< its `traced` is moved to the field above
};

/// Traces a loaded model; `samples`: the user's. Errors: those of the tracer, and, with dynamic
/// axes, of trace_dynamic_model.
TracedModel trace_model(const LoadedModel& loaded, const std::vector<Sample>& samples,
                        const DynamicOptions& dynamic, const trace::TraceOptions& options);

/// The same. If the model cannot be exported with minima and maxima of sizes (`has_file` is false),
/// resolves them by the probe traces.
TracedModel trace_to_export(const LoadedModel& loaded, const std::vector<Sample>& samples,
                            const DynamicOptions& dynamic, const trace::TraceOptions& options,
                            const std::function<bool(const TracedModel&)>& has_file);

}  // namespace t2n
