// SPDX-License-Identifier: Apache-2.0
// Counts, and their JSON.
#include "src/report/artefact_summary.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "ir/readable.h"
#include "nnef_writer/print.h"
#include "src/diag/error.h"
#include "src/lint/probe_sizes.h"
#include "src/lint/strict.h"
#include "src/nnef/walk.h"

namespace t2n::report {
namespace {

using Json = nlohmann::ordered_json;

/// Declarations of inputs and weights.
bool is_declaration(const std::string& operation) {
  return operation == "external" || operation == "variable" || operation == "tract_core_external";
}

/// Counts calls inside expressions as well.
std::vector<std::pair<std::string, int64_t>> operations_of(const nnef::Document& document) {
  std::map<std::string, int64_t> uses;
  for (const nnef::Assignment& assignment : document.graph.body)
    nnef::walk(assignment.right, [&](const nnef::Value& value) {
      if (value.kind == nnef::Kind::invocation && !is_declaration(value.text)) ++uses[value.text];
    });
  std::vector<std::pair<std::string, int64_t>> out(uses.begin(), uses.end());
  std::stable_sort(out.begin(), out.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return out;
}

std::vector<WeightGroup> weights_of(const nnef::Artefact& artefact) {
  std::map<std::string, WeightGroup> groups;
  for (const nnef::StoredTensor& tensor : artefact.tensors) {
    WeightGroup& group = groups[tensor.item];
    const int64_t values = tensor.values.elements();
    group.item = tensor.item;
    ++group.tensors;
    group.values += values;
    group.bytes += (values * tensor.bits + 7) / 8;
  }
  std::vector<WeightGroup> out;
  for (auto& [item, group] : groups) out.push_back(std::move(group));
  std::stable_sort(out.begin(), out.end(),
                   [](const WeightGroup& a, const WeightGroup& b) { return a.values > b.values; });
  return out;
}

/// The count of numbers in an argument.
size_t count_numbers(const nnef::Value& value) {
  size_t out = 0;
  nnef::walk(value, [&](const nnef::Value& v) {
    out += v.kind == nnef::Kind::integer || v.kind == nnef::Kind::scalar;
  });
  return out;
}

std::vector<ExplainedTensor> explained_in(const nnef::Document& document) {
  std::vector<ExplainedTensor> out;
  for (const nnef::QuantEntry& entry : document.quant) {
    ExplainedTensor tensor{.name = entry.name, .function = entry.invocation.text};
    for (const nnef::Argument& argument : entry.invocation.arguments) {
      if (argument.name == "bits")
        tensor.bits = static_cast<int>(argument.value.integer);
      else if (argument.name != "signed" && argument.name != "symmetric")
        tensor.scales = std::max(tensor.scales, count_numbers(argument.value));
    }
    out.push_back(std::move(tensor));
  }
  return out;
}

int64_t saved_by(const std::vector<WeightGroup>& weights) {
  int64_t out = 0;
  for (const WeightGroup& group : weights)
    if (group.bytes < 2 * group.values) out += 4 * group.values - group.bytes;
  return out;
}

int64_t fake_quantisations_in(const std::vector<std::pair<std::string, int64_t>>& operations) {
  int64_t out = 0;
  for (const auto& [name, uses] : operations)
    if (name.ends_with("_quantize")) out += uses;
  return out;
}

Json explained_json(const std::vector<ExplainedTensor>& tensors) {
  Json out = Json::array();
  for (const ExplainedTensor& tensor : tensors)
    out.push_back({{"name", tensor.name},
                   {"function", tensor.function},
                   {"bits", tensor.bits},
                   {"scales", tensor.scales}});
  return out;
}

Json inputs_json(const std::vector<spec::InputFact>& inputs) {
  Json out = Json::array();
  for (const spec::InputFact& input : inputs) {
    Json shape = Json::array();
    for (const spec::InputSize& size : input.sizes)
      shape.push_back(size.value ? Json(*size.value) : Json(size.text));
    out.push_back({{"name", input.name},
                   {"dtype", input.dtype ? Json(ir::dtype_name(*input.dtype)) : Json()},
                   {"shape", shape}});
  }
  return out;
}

Json outputs_json(const std::vector<OutputFact>& outputs) {
  Json out = Json::array();
  for (const OutputFact& output : outputs) {
    Json row = {{"name", output.name}};
    if (!output.type.dtype.empty()) row["dtype"] = output.type.dtype;
    if (output.type.sizes) {
      row["shape"] = Json::array();
      for (const auto& size : *output.type.sizes)
        row["shape"].push_back(!size                 ? Json("?")
                               : size->is_constant() ? Json(size->value())
                                                     : Json(ir::readable(*size)));
    }
    out.push_back(std::move(row));
  }
  return out;
}

/// The first values of small states are lists of numbers; others are in the artefact's states.npz.
Json states_json(const std::vector<spec::State>& states) {
  constexpr int64_t kMostNumbers = 64;
  Json out = Json::array();
  for (const spec::State& state : states) {
    Json row = {{"input", state.input}, {"output", state.output}, {"initial", Json()}};
    if (state.initial) {
      row["initial"] = {{"dtype", ir::dtype_name(state.initial->dtype)},
                        {"shape", state.initial->shape}};
      if (state.initial->elements() <= kMostNumbers)
        row["initial"]["values"] = ir::to_f64(ir::as_pairs(*state.initial));
    }
    out.push_back(std::move(row));
  }
  return out;
}

Json weights_json(const std::vector<WeightGroup>& weights) {
  Json out = Json::array();
  for (const WeightGroup& group : weights)
    out.push_back({{"item", group.item},
                   {"tensors", group.tensors},
                   {"values", group.values},
                   {"bytes", group.bytes}});
  return out;
}

std::vector<OutputFact> output_facts(const nnef::Artefact& artefact) {
  auto types = spec::tensor_types(artefact);
  std::vector<OutputFact> out;
  for (const std::string& name : artefact.document.graph.results)
    out.push_back({name, types[name]});
  return out;
}

ir::Sizes sample_sizes_of(const nnef::Document& document) {
  std::vector<ir::Sizes> found = spec::probe_sizes(document.symbols, document.assertions, {});
  return found.empty() ? ir::Sizes() : std::move(found.front());
}

/// Empty for documents with extensions, which change the rules.
std::vector<std::string> findings_in(const nnef::Artefact& artefact) {
  if (!nnef::extension_lines(artefact.document).empty()) return {};
  std::vector<std::string> out;
  for (spec::Violation& found : spec::lint_strict(artefact))
    out.push_back(std::move(found.message));
  return out;
}

}  // namespace

ArtefactSummary summarise(const nnef::Artefact& artefact) {
  const nnef::Document& document = artefact.document;
  ArtefactSummary out{.dialect = spec::dialect_of(document),
                      .graph = document.graph.name,
                      .extensions = nnef::extension_lines(document),
                      .properties = spec::properties(document),
                      .inputs = spec::input_facts(document),
                      .sample_sizes = sample_sizes_of(document),
                      .outputs = output_facts(artefact),
                      .states = spec::states_of(document),
                      .operations = operations_of(document),
                      .fragments = {},
                      .weights = weights_of(artefact),
                      .quantised = document.quant.size(),
                      .explained = explained_in(document),
                      .unused = artefact.unused,
                      .file_bytes = artefact.file_bytes,
                      .findings = findings_in(artefact)};
  out.saved_bytes = saved_by(out.weights);
  out.fake_quantisations = fake_quantisations_in(out.operations);
  for (const nnef::Fragment& fragment : document.fragments)
    if (fragment.name != spec::kPropertiesFragment) out.fragments.push_back(fragment.name);
  return out;
}

std::string_view dialect_name(spec::Dialect dialect) {
  switch (dialect) {
    case spec::Dialect::khronos: return "khronos";
    case spec::Dialect::tract: return "tract";
  }
  internal_error(__FILE__, __LINE__, "no such dialect");
}

void add_summary(CommandReport& report, const std::string& path, const ArtefactSummary& summary) {
  Json operations = Json::array();
  for (const auto& [name, count] : summary.operations)
    operations.push_back({{"name", name}, {"uses", count}});
  Json properties = Json::object();
  for (const auto& [name, value] : summary.properties) properties[name] = value;
  report["artifact"] = {{"path", path},
                        {"bytes", summary.file_bytes},
                        {"dialect", dialect_name(summary.dialect)},
                        {"graph", summary.graph},
                        {"extensions", summary.extensions},
                        {"properties", properties},
                        {"operations", operations},
                        {"fragments", summary.fragments},
                        {"weights", weights_json(summary.weights)},
                        {"quantised", summary.quantised},
                        {"quantised_tensors", explained_json(summary.explained)},
                        {"bytes_saved", summary.saved_bytes},
                        {"fake_quantisations", summary.fake_quantisations},
                        {"unused_files", summary.unused},
                        {"findings", summary.findings}};
  report["inputs"] = inputs_json(summary.inputs);
  report["outputs"] = outputs_json(summary.outputs);
  report["states"] = states_json(summary.states);
}

}  // namespace t2n::report
