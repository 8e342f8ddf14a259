// SPDX-License-Identifier: Apache-2.0
#include "src/export/stages.h"

#include <algorithm>

#include "ir/scan.h"
#include "ops/all.h"
#include "src/diag/error.h"
#include "src/model/torch_module.h"
#include "src/translate/registry.h"

namespace t2n {
namespace {

namespace fs = std::filesystem;

/// The operators that the target has a translation for; strict NNEF has no loops. Torch's quantised
/// layers become integer arithmetic for every target (expand-quantised).
ir::OpSet native_operators(const target::Target& target) {
  const ops::Registry& book = ops::registry();
  ir::OpSet out{{}, "quantized::"};
  for (const ir::OpId op : book.ops())
    if (book.variant(op, target) != nullptr) out.ops.insert(op);
  if (target.engine == target::Engine::khronos) out.ops.erase(ir::op_id(ir::kScanOp));
  return out;
}

std::vector<Port> ports(const ir::Graph& graph, const std::vector<ir::ValueId>& ids) {
  std::vector<Port> out;
  for (const ir::ValueId id : ids) {
    const ir::Value& value = graph.values[id];
    out.push_back({value.name, value.dtype, value.shape, false, {}, {}});
  }
  return out;
}

/// Whether the user gave only a shape for the state.
bool has_drawn_values(const std::vector<Sample>& samples, const std::string& state) {
  return std::any_of(samples.begin(), samples.end(), [&](const Sample& sample) {
    const auto* tensor = std::get_if<ir::Tensor>(&sample.input.value);
    return tensor != nullptr && tensor->bytes.empty() && tensor->elements() > 0 &&
           trace::flat_name(sample.input.path) == state;
  });
}

/// Whether a value has the dtype and the fixed sizes of an input.
bool fits(const ir::Tensor& value, const Port& input) {
  if (value.dtype != input.dtype || value.shape.size() != input.shape.size()) return false;
  for (size_t i = 0; i < input.shape.size(); ++i)
    if (input.shape[i].is_constant() && input.shape[i] != ir::Dim(value.shape[i])) return false;
  return true;
}

}  // namespace

void list_ports(const ir::Graph& graph, ExportResult& result) {
  result.inputs = ports(graph, graph.inputs);
  result.outputs = ports(graph, graph.outputs);
  for (size_t i = 0; i < result.outputs.size(); ++i) result.outputs[i].name = graph.output_names[i];
}

void note_pairs(ExportResult& result, const Report& report) {
  std::string names;
  for (std::vector<Port>* side : {&result.inputs, &result.outputs})
    for (Port& port : *side) {
      if (!ir::is_complex(port.dtype)) continue;
      port.dtype = ir::component_dtype(port.dtype);
      port.shape.emplace_back(2);
      names += (names.empty() ? "" : ", ") + quoted(port.name);
    }
  if (names.empty() || !report) return;
  report(Diagnostic{.severity = Severity::warning,
                    .id = "complex-as-pairs",
                    .message = cat("in the file, the last axis of ", names,
                                   " has the real and the imaginary part"),
                    .why = "the model's values are complex, and NNEF has no complex numbers",
                    .help = "use torch.view_as_real and torch.view_as_complex at the boundary"});
}

passes::PassContext pass_context(const target::Target& target, const Report& report) {
  passes::PassContext context;
  context.report = report;
  context.evaluate = torch_module().evaluator();
  context.operators = &ops::registry().table();
  context.native = native_operators(target);
  context.keeps_symbol = [](const ir::Symbol&) { return true; };
  return context;
}

void pair_states(const trace::Traced& traced, ExportResult& result) {
  for (const trace::State& state : traced.states) {
    Port& input = result.inputs[state.input];
    Port& output = result.outputs[state.output];
    input.state = output.state = state.path;
    input.other_side = output.name;
    output.other_side = input.name;
  }
}

std::vector<spec::State> first_states(const TracedModel& model, const ExportResult& result,
                                      const nnef::Graph& graph) {
  const auto index_of = [](const std::vector<Port>& ports, const std::string& path) {
    return static_cast<size_t>(std::find_if(ports.begin(), ports.end(),
                                            [&](const Port& port) { return port.state == path; }) -
                               ports.begin());
  };
  std::vector<spec::State> out;
  for (const trace::State& state : model.traced.states) {
    const size_t input = index_of(result.inputs, state.path);
    if (input == result.inputs.size()) continue;
    const Port& port = result.inputs[input];
    const auto for_port = [&](const ir::Tensor& tensor) {
      const ir::Tensor plain = ir::as_pairs(tensor);
      return as_dtype(plain, port.dtype).value_or(plain);  // f16 with --float f16-io
    };
    ir::Tensor initial = for_port(state.initial);
    if (state.own && has_drawn_values(model.samples, state.name))
      if (ir::Tensor own = for_port(*state.own); fits(own, port)) initial = std::move(own);
    out.push_back({graph.parameters.at(input),
                   graph.results.at(index_of(result.outputs, state.path)), std::move(initial)});
  }
  return out;
}

SourceModel source_model(const TracedModel& model, const CompressedModel* compressed) {
  return {.session = model.session.get(),
          .samples = model.samples,
          .traced = model.traced,
          .inputs = model.inputs,
          .dynamic = model.dynamic ? &*model.dynamic : nullptr,
          .graph = compressed != nullptr ? compressed->graph : model.traced.graph,
          .is_compressed = compressed != nullptr,
          .to_document = [](ir::Graph graph, const target::Target& target) {
            return to_nnef(graph, target, {}, nullptr);
          }};
}

int64_t size_on_disk(const fs::path& path) {
  if (!fs::is_directory(path)) return static_cast<int64_t>(fs::file_size(path));
  int64_t sum = 0;
  for (const auto& entry : fs::recursive_directory_iterator(path))
    if (entry.is_regular_file()) sum += static_cast<int64_t>(entry.file_size());
  return sum;
}

}  // namespace t2n
