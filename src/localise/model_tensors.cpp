// SPDX-License-Identifier: Apache-2.0
#include "src/localise/model_tensors.h"

#include <algorithm>
#include <limits>

#include "nnef_writer/archive.h"
#include "src/check/contents.h"
#include "src/check/graph_f64_distance.h"
#include "src/diag/error.h"
#include "src/model/torch_module.h"
#include "src/nnef/artefact.h"
#include "src/samples/samples_at.h"
#include "src/spec/dialect.h"
#include "src/spec/expansion.h"

namespace t2n::localise {
namespace {

target::Target target_for(const Checking& checking, const nnef::Document& document) {
  return checking.dialect == spec::Dialect::tract ? named_target(document)
                                                  : target::parse_target("khronos");
}

/// The export, in a folder; nothing if the target does not support the model.
std::optional<ExportedFile> exported_file(const Checking& checking, const InputSet& set) {
  const SourceModel& model = checking.model;
  ExportedFile out;
  try {
    if (checking.written != nullptr) {
      out.probed.document = *checking.written;
    } else {
      ir::Graph graph = model.graph;
      graph.attributes[nnef::kOriginsOption] = true;
      const nnef::Artefact artefact = nnef::read_artefact(checking.path);
      out.probed.document =
          model.to_document(std::move(graph), target_for(checking, artefact.document));
    }
    out.probed.folder = checking.options.scratch / "export";
    nnef::PendingArtefact file = nnef::write_artefact(
        out.probed.document, {out.probed.folder, nnef::Destination::Form::folder, 0});
    file.commit();
  } catch (const Error& error) {
    if (error.diagnostic().id == "internal") throw;
    return {};
  }
  out.probed.document.blobs.clear();
  out.flow = flow_of(out.probed.document);
  const std::vector<ir::Tensor> all = graph_inputs(set.inputs, model);
  std::vector<size_t> indices = checking.accepted.indices;
  if (checking.written == nullptr) {
    indices.clear();
    for (size_t i = 0; i < all.size(); ++i) indices.push_back(i);
  }
  out.probed.inputs = fed_to(out.probed.document, all, indices);
  return out;
}

/// How far results are from the model's outputs.
double results_distance(const std::vector<ir::Tensor>& expected,
                        const std::vector<ir::Tensor>& actual) {
  if (expected.size() != actual.size()) return std::numeric_limits<double>::infinity();
  double out = 0;
  for (size_t i = 0; i < expected.size(); ++i)
    out = std::max(out, distance(digest_of(expected[i]), digest_of(actual[i])));
  return out;
}

/// Whether the engine computes the export right, or better than the artefact by an order of
/// magnitude.
bool is_right_in(check::Runner& engine, ExportedFile& exported, spec::Dialect dialect,
                 const std::vector<ir::Tensor>& expected, double artefact) {
  exported.probed.order = order_in(engine, dialect);
  try {
    const auto results =
        tensors_in(exported.probed, exported.probed.document.graph.results, engine);
    constexpr double kBetter = 0.1;
    constexpr double kRight = 1e-5;
    const double most = std::isfinite(artefact) ? std::max(kRight, kBetter * artefact) : kRight;
    return results && results_distance(expected, *results) <= most;
  } catch (const Error& error) {
    if (error.diagnostic().id == "internal") throw;
    return false;
  }
}

void choose_engine(ModelTensors& out, const Checking& checking,
                   const std::vector<ir::Tensor>& expected, double artefact) {
  check::Runner& engine = checking.runner.engine();
  if (checking.written == nullptr &&
      is_right_in(engine, *out.exported, checking.dialect, expected, artefact)) {
    out.engine = &engine;
    return;
  }
  if (!engine.name().starts_with("tract ")) return;
  out.own_engine = check::reference_runner(interp_module(), checking.dialect);
  if (is_right_in(*out.own_engine, *out.exported, checking.dialect, expected, artefact))
    out.engine = out.own_engine.get();
}

void measure_inputs(Flow& flow, const std::vector<ir::Tensor>& inputs) {
  for (size_t i = 0; i < std::min(flow.inputs.size(), inputs.size()); ++i)
    flow.tensors[flow.inputs[i]].digest = digest_of(inputs[i]);
}

}  // namespace

Reference ModelTensors::reference() const {
  Reference out;
  if (engine != nullptr) out.flows.push_back(&exported->flow);
  out.flows.push_back(&torch);
  return out;
}

std::string ModelTensors::description() const {
  return engine == nullptr ? "torch"
                           : cat("an export of the model in ", engine->name(), ", and torch");
}

InputSet inputs_of(const Checking& checking, const CheckResult& result) {
  if (result.differing) return *result.differing;
  return {.name = {}, .inputs = fill(checking.model.samples, 0)};
}

std::vector<ir::Tensor> fed_to(const nnef::Document& document, const std::vector<ir::Tensor>& all,
                               const std::vector<size_t>& indices) {
  const std::vector<spec::InputFact> facts = spec::size_rules(document).inputs;
  std::vector<ir::Tensor> out;
  for (size_t i = 0; i < indices.size(); ++i) {
    const ir::Tensor& tensor = all.at(indices[i]);
    const ir::DType dtype = i < facts.size() ? facts[i].dtype.value_or(tensor.dtype) : tensor.dtype;
    out.push_back(as_dtype(tensor, dtype).value_or(tensor));
  }
  return out;
}

spec::Dialect order_in(const check::Runner& engine, spec::Dialect dialect) {
  return engine.name().starts_with("tract ") ? spec::Dialect::tract : dialect;
}

ModelTensors model_tensors(const Checking& checking, const InputSet& set,
                           const std::vector<ir::Tensor>& outputs, bool may_export) {
  ModelTensors out;
  out.graph = graph_at(checking.model, {}, set.inputs, set.sizes);
  out.inputs = values_of(set.inputs, checking.model.inputs);
  out.torch = flow_of(out.graph);
  out.at_once = most_at_once(out.graph);
  measure(out.torch, out.graph, out.inputs, out.at_once);
  measure_inputs(out.torch, graph_inputs(set.inputs, checking.model));
  if (!may_export) return out;
  out.exported = exported_file(checking, set);
  if (!out.exported) return out;
  const std::vector<ir::Tensor> expected =
      ir::run_graph(out.graph, out.inputs, torch_module().evaluator());
  choose_engine(out, checking, expected, results_distance(expected, outputs));
  if (out.engine == nullptr) return out;
  measure(out.exported->flow, out.exported->probed, *out.engine, out.at_once);
  measure_inputs(out.exported->flow, out.exported->probed.inputs);
  return out;
}

nnef::Origin origin_of(const ModelTensors& model, RefTensor tensor) {
  const bool is_export = model.engine != nullptr && tensor.flow == 0;
  if (is_export) {
    const size_t statement = model.exported->flow.tensors[tensor.tensor].statement;
    const std::vector<nnef::Origin>& origins = model.exported->probed.document.origins;
    return statement < origins.size() ? origins[statement] : nnef::Origin{};
  }
  const FlowTensor& found = model.torch.tensors[tensor.tensor];
  if (found.is_input) return {};
  return {found.operation, ir::node_where(model.graph, model.graph.nodes[found.statement])};
}

std::optional<ir::Tensor> value_of(const ModelTensors& model, RefTensor tensor) {
  if (model.engine == nullptr || tensor.flow != 0)
    return value_in_torch(model.graph, model.torch.ids[tensor.tensor], model.inputs);
  const auto values = tensors_in(model.exported->probed,
                                 {model.exported->flow.tensors[tensor.tensor].name}, *model.engine);
  return values ? std::optional(values->at(0)) : std::nullopt;
}

}  // namespace t2n::localise
