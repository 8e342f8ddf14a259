// SPDX-License-Identifier: Apache-2.0
// Matches inputs and outputs before anything is run.
#include "src/check/check_existing.h"

#include <algorithm>
#include <set>
#include <utility>

#include "src/check/contents.h"
#include "src/check/localisation_text.h"
#include "src/check/run_artefact.h"
#include "src/confine/confine.h"
#include "src/diag/error.h"
#include "src/nnef/artefact.h"
#include "src/spec/dialect.h"
#include "src/spec/expansion.h"

namespace t2n {
namespace {

using Names = std::vector<std::string>;
using Indices = std::vector<size_t>;

/// Accepts the artefact's inputs and returns outputs in the model's order, independent of the
/// engine's order.
class OrderedRunner final : public check::Runner {
 public:
  struct Input {
    size_t index = 0;                ///< among the artefact's
    std::optional<ir::DType> dtype;  ///< as declared
  };
  OrderedRunner(check::Runner& runner, std::vector<Input> inputs, Indices outputs)
      : runner_(runner), inputs_(std::move(inputs)), outputs_(std::move(outputs)) {}

  std::string name() const override { return runner_.name(); }
  check::Runner& engine() override { return runner_.engine(); }
  void start_load(const std::string& artefact) override { runner_.start_load(artefact); }
  void load(const std::string& artefact) override { runner_.load(artefact); }
  std::vector<ir::Tensor> run(const std::vector<ir::Tensor>& inputs) override {
    return in_order(runner_.run(fed(inputs)));
  }
  void start_run(const std::vector<ir::Tensor>& inputs) override { runner_.start_run(fed(inputs)); }
  std::vector<ir::Tensor> finish_run() override { return in_order(runner_.finish_run()); }
  std::optional<check::InPulses> pulse(const tract::Pulse& pulse) override {
    const auto pulses = runner_.pulse(pulse);
    if (!pulses) return {};
    check::InPulses out;
    for (const size_t index : outputs_) {
      out.axes.push_back(pulses->axes.at(index));
      out.delays.push_back(pulses->delays.at(index));
    }
    for (size_t i = 0; i < inputs_.size(); ++i) {
      const size_t index = inputs_[i].index;
      out.input_axes.resize(std::max(out.input_axes.size(), index + 1), -1);
      out.input_axes[index] = pulses->input_axes.at(i);
    }
    return out;
  }
  std::vector<ir::Tensor> run_in_pulses(const std::vector<ir::Tensor>& inputs) override {
    return in_order(runner_.run_in_pulses(fed(inputs)));
  }

 private:
  std::vector<ir::Tensor> fed(const std::vector<ir::Tensor>& inputs) const {
    std::vector<ir::Tensor> out;
    for (const Input& input : inputs_) {
      const ir::Tensor& tensor = inputs[input.index];
      out.push_back(as_dtype(tensor, input.dtype.value_or(tensor.dtype)).value_or(tensor));
    }
    return out;
  }

  std::vector<ir::Tensor> in_order(const std::vector<ir::Tensor>& actual) const {
    if (actual.size() != outputs_.size())
      throw Error("engine-failed", cat("the engine gave ", actual.size(), " outputs, the artefact ",
                                       "names ", outputs_.size()));
    std::vector<ir::Tensor> out;
    for (const size_t index : outputs_) out.push_back(actual[index]);
    return out;
  }

  check::Runner& runner_;
  std::vector<Input> inputs_;  ///< in the engine's order
  Indices outputs_;            ///< for each output of the model, its index in the engine
};

/// Inputs are texts with types, outputs are names.
[[noreturn]] void refuse_signature(std::string message, const Names& model, const Names& artefact,
                                   std::string help = {}) {
  const auto text = [](const Names& ports) { return ports.empty() ? "none" : joined(ports, ", "); };
  throw Error(Diagnostic{
      .id = "signature-mismatch",
      .message = std::move(message),
      .details = {cat("the model:    ", text(model)), cat("the artefact: ", text(artefact))},
      .help = std::move(help)});
}

/// For each name its index in `among`; nothing if a name is missing there or occurs twice.
std::optional<Indices> indices_by_name(const Names& names, const Names& among) {
  Indices out;
  for (const std::string& name : names) {
    if (std::count(among.begin(), among.end(), name) != 1) return std::nullopt;
    out.push_back(static_cast<size_t>(std::find(among.begin(), among.end(), name) - among.begin()));
  }
  const bool distinct = std::set<size_t>(out.begin(), out.end()).size() == out.size();
  return distinct ? std::optional(out) : std::nullopt;
}

Indices by_position(size_t count) {
  Indices out(count);
  for (size_t i = 0; i < count; ++i) out[i] = i;
  return out;
}

Names typed_inputs(const ir::Graph& graph) {
  Names out;
  for (const ir::ValueId id : graph.inputs) {
    const ir::Value& value = graph.values[id];
    ir::Shape shape = value.shape;
    if (ir::is_complex(value.dtype)) shape.emplace_back(2);
    out.push_back(cat(value.name, " ", ir::dtype_name(ir::component_dtype(value.dtype)),
                      ir::shape_str(shape)));
  }
  return out;
}

Names typed_inputs(const std::vector<spec::InputFact>& facts) {
  Names out;
  for (const spec::InputFact& fact : facts) out.push_back(spec::fact_str(fact));
  return out;
}

/// Whether the declared input accepts the sample's values; symbols accept any size.
bool fits_input(const spec::InputFact& fact, const ir::Tensor& sample, bool has_widths) {
  const ir::DType declared = fact.dtype.value_or(sample.dtype);
  const bool same = has_widths ? declared == sample.dtype : as_dtype(sample, declared).has_value();
  if (!same) return false;
  if (fact.sizes.size() != sample.shape.size()) return false;
  for (size_t i = 0; i < fact.sizes.size(); ++i)
    if (fact.sizes[i].value.value_or(sample.shape[i]) != sample.shape[i]) return false;
  return true;
}

/// "1 output", "2 outputs"
std::string count_text(size_t count, std::string_view what) {
  return cat(count, " ", what, count == 1 ? "" : "s");
}

/// For each input of the artefact, its index in the model.
Indices match_inputs(const SourceModel& model, const std::vector<spec::InputFact>& facts) {
  Names names;
  for (const spec::InputFact& fact : facts) names.push_back(fact.name);
  if (auto indices = indices_by_name(names, model.inputs)) return *indices;
  if (names.size() == model.inputs.size()) return by_position(names.size());
  refuse_signature(cat("the artefact takes ", count_text(names.size(), "input"), ", the model ",
                       model.inputs.size()),
                   typed_inputs(model.traced.graph), typed_inputs(facts),
                   "pass each argument that is a constant in the artefact with --input");
}

void check_types(const SourceModel& model, const std::vector<spec::InputFact>& facts,
                 const Indices& indices, bool has_widths) {
  const std::vector<ir::Tensor> samples = graph_inputs(fill(model.samples, 0), model);
  for (size_t i = 0; i < facts.size(); ++i)
    if (!fits_input(facts[i], samples[indices[i]], has_widths))
      refuse_signature(
          cat("the artefact's input ", quoted(facts[i].name), " does not match the model's"),
          typed_inputs(model.traced.graph), typed_inputs(facts),
          "use --input to pass samples of the artefact's shapes and dtypes");
}

/// For each output of the model, its index in the artefact.
Indices match_outputs(const SourceModel& model, const nnef::Document& document) {
  const Names& ours = model.traced.graph.output_names;
  const Names& theirs = document.graph.results;
  if (ours.size() != theirs.size())
    refuse_signature(cat("the artefact gives ", count_text(theirs.size(), "output"), ", the model ",
                         ours.size()),
                     ours, theirs);
  return indices_by_name(ours, theirs).value_or(by_position(ours.size()));
}

Names row_names(const nnef::Document& document, const Indices& outputs) {
  Names out;
  for (const size_t index : outputs) out.push_back(document.graph.results[index]);
  return out;
}

void require_same_stream(const target::Stream& stream, const nnef::Document& document) {
  const std::string symbol = stream_properties(document).symbol;
  if (!stream.symbol.empty() && !symbol.empty() && symbol != stream.symbol)
    throw Error("usage", cat("--stream ", stream.symbol, ": the file streams along ", symbol), {},
                cat("declare the axis as ", symbol));
}

}  // namespace

OpenedArtefact open_artefact(const std::string& path, const CheckOptions& options,
                             const target::Stream& stream, const Report& report) {
  confine::may_read(path);  // the reference interpreter reads it after the model is loaded
  OpenedArtefact out{
      .path = path, .artefact = nnef::read_artefact(path), .inputs = {}, .engine = {}};
  const nnef::Document& document = out.artefact.document;
  spec::check_document(document);
  out.inputs = spec::size_rules(document).inputs;
  require_same_stream(stream, document);
  EngineRequest request = engine_request_for(document);
  request.needs_own = options.strict;
  out.engine = find_engine(options.engine, request, options.runner);
  if (out.engine.warning && report) report(*out.engine.warning);
  return out;
}

std::vector<Sample> declared_samples(const std::vector<spec::InputFact>& facts) {
  std::vector<Sample> out;
  for (size_t i = 0; i < facts.size(); ++i) {
    auto sample = declared_sample(facts[i]);
    if (!sample) return {};
    sample->input.path = {cat("input_", i)};
    out.push_back(*std::move(sample));
  }
  return out;
}

CheckedModel check_existing(const OpenedArtefact& opened, const SourceModel& model,
                            const CheckOptions& options, const target::Stream& stream,
                            bool compares_contents) {
  const nnef::Document& document = opened.artefact.document;
  CheckedModel result;
  result.inputs = opened.inputs;
  const spec::Dialect dialect = spec::dialect_of(document);
  const Indices inputs = match_inputs(model, result.inputs);
  const bool is_half = spec::property(document, spec::kFloat).has_value();
  check_types(model, result.inputs, inputs, dialect == spec::Dialect::tract && !is_half);
  const Indices outputs = match_outputs(model, document);
  std::vector<OrderedRunner::Input> fed;
  for (const size_t index : feeding_order(document, opened.engine.order))
    fed.push_back({index, result.inputs[index].dtype});
  OrderedRunner ordered(*opened.engine.runner, fed, outputs);
  CheckOptions check = options;
  check.scratch = opened.engine.scratch->path();
  check.tolerance.in_f16 = is_half;
  ArtefactInputs accepted = artefact_inputs_of(document);
  accepted.indices = inputs;
  const Checking checking{model,
                          std::move(accepted),
                          row_names(document, outputs),
                          check,
                          ordered,
                          dialect,
                          opened.path,
                          stream,
                          stream_properties(document)};
  result.checked = check_artefact(checking);
  if (compares_contents) {
    const Contents contents = contents_of(opened.artefact, model);
    if (contents.are_known || has_difference(result.checked))
      result.other_contents = contents.other;
    if (result.other_contents && !result.checked.localisation && check.localiser.difference)
      result.checked.localisation = check.localiser.difference(checking, result.checked);
    result.is_as_exported = contents.are_known && !contents.other;
  }
  if (result.other_contents && result.checked.localisation)
    result.other_contents->where = localisation_where(*result.checked.localisation);
  // The compared choices are those of a new export, not of this artefact.
  if (!result.is_as_exported)
    for (check::OutputRow& row : result.checked.rows) row.has_valid_choices = false;
  return result;
}

}  // namespace t2n
