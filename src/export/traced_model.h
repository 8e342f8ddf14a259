// Brings a model from its file to a traced, verified graph, with its samples.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/export/dynamic_model.h"
#include "src/samples/samples.h"

namespace t2n {

struct TracedModel {
  trace::ModelInfo info;
  std::shared_ptr<trace::Session> session;
  std::vector<Sample> samples;
  trace::Traced traced;
  bool samples_from_file = false;
  std::vector<std::string> inputs;  ///< names of the graph's inputs, before any is pruned
  std::optional<dynamic::DynamicTrace> dynamic;  ///< its `traced` is moved to the field above
  /// The graph is compressed, and computes the reference of a check.
  bool is_compressed = false;
  /// The recorded graph, if passes change the one in `traced` before a check.
  std::optional<ir::Graph> recorded;

  const ir::Graph& recorded_graph() const { return recorded ? *recorded : traced.graph; }
};

/// A loaded model with its samples, not traced yet; `samples` override those in the file.
TracedModel load_model(const std::string& path, const std::string& method,
                       const std::vector<Sample>& samples);
/// Traces a loaded model.   Errors: as below.
void trace_model(TracedModel& model, const std::vector<Sample>& samples,
                 const DynamicOptions& dynamic, trace::TraceOptions options);

/// Loads and traces. `progress` is called when a stage begins: "load", "trace". If the model
/// cannot be exported with minima and maxima of sizes (`has_file` is false), resolves them by the
/// probe traces. Errors: those of the tracer, and, with dynamic axes, of trace_dynamic_model.
TracedModel load_and_trace(const std::string& path, const std::string& method,
                           const std::vector<Sample>& samples, const DynamicOptions& dynamic,
                           trace::TraceOptions options,
                           const std::function<void(std::string_view)>& progress,
                           const std::function<bool(const TracedModel&)>& has_file = {});

}  // namespace t2n
