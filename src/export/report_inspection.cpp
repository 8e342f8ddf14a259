// SPDX-License-Identifier: Apache-2.0
// One function per field.
#include "src/export/report_inspection.h"

#include <nlohmann/json.hpp>

#include "src/export/report_parts.h"
#include "src/quant/summary.h"

namespace t2n {
namespace {

using Json = nlohmann::ordered_json;

Json arguments_json(const trace::ModelInfo& model) {
  Json out = Json::array();
  for (const trace::ArgumentInfo& argument : model.arguments)
    out.push_back(
        {{"name", argument.name}, {"type", argument.type}, {"has_default", argument.has_default}});
  return out;
}

Json graph_outputs_json(const ir::Graph& graph) {
  Json out = Json::array();
  for (size_t i = 0; i < graph.outputs.size(); ++i) {
    const ir::Value& value = graph.values[graph.outputs[i]];
    out.push_back({{"name", graph.output_names[i]},
                   {"dtype", ir::dtype_name(value.dtype)},
                   {"shape", shape_json(value.shape)}});
  }
  return out;
}

Json model_states_json(const Inspection& inspection) {
  Json out = Json::array();
  for (const trace::State& state : inspection.states)
    out.push_back({{"input", state.name},
                   {"output", inspection.graph->output_names[state.output]},
                   {"path", state.path}});
  return out;
}

Json quantised_json(const ir::Graph& graph) {
  const quant::Summary all = quant::summarise(graph);
  Json tensors = Json::array();
  for (const quant::QuantisedTensor& tensor : all.tensors)
    tensors.push_back({{"name", tensor.name},
                       {"shape", shape_json(tensor.shape)},
                       {"format", quant::info_str(tensor.info)}});
  return {{"weights", all.weights},
          {"weight_bytes", all.weight_bytes},
          {"redundant_pairs", all.redundant_pairs},
          {"tensors", tensors}};
}

/// Of the code, if there is no graph.
Json code_operators_json(const trace::ModelCode& code) {
  Json out = Json::array();
  for (const trace::CodeOperator& called : code.operators)
    out.push_back({{"name", called.name}, {"uses", called.count}, {"known", called.is_known}});
  return out;
}

}  // namespace

void add_inspection(report::CommandReport& report, const std::string& file,
                    const Inspection& inspection) {
  report["model"] = model_json(inspection.model, file);
  report["arguments"] = arguments_json(inspection.model);
  const ir::Graph* const graph = inspection.with_quantised ? &*inspection.with_quantised
                                 : inspection.graph        ? &*inspection.graph
                                 : inspection.reached      ? &*inspection.reached
                                                           : nullptr;
  if (graph != nullptr)
    report["operators"] = operators_json(operators_of(*graph));
  else if (inspection.code)
    report["operators"] = code_operators_json(*inspection.code);
  if (!inspection.graph) return;
  report["outputs"] = graph_outputs_json(*inspection.graph);
  report["states"] = model_states_json(inspection);
  if (inspection.with_quantised) report["quantised"] = quantised_json(*inspection.with_quantised);
}

}  // namespace t2n
