// Matches inputs and outputs before anything is run.
#include "src/export/check_existing.h"

#include <algorithm>
#include <set>
#include <utility>

#include "src/confine/confine.h"
#include "src/diag/error.h"
#include "src/export/calls.h"
#include "src/export/contents.h"
#include "src/export/pipeline.h"
#include "src/export/run_artefact.h"
#include "src/export/stream.h"
#include "src/nnef/artefact.h"
#include "src/spec/dialect.h"
#include "src/spec/expansion.h"

namespace t2n {
namespace {

using Names = std::vector<std::string>;
using Indices = std::vector<size_t>;

/// Accepts inputs and returns outputs in the model's order, independent of the engine's order.
class OrderedRunner final : public check::Runner {
 public:
  struct Input {
    size_t index = 0;                ///< in the model
    std::optional<ir::DType> dtype;  ///< as declared
  };
  OrderedRunner(check::Runner& runner, std::vector<Input> inputs, Indices outputs)
      : runner_(runner), inputs_(std::move(inputs)), outputs_(std::move(outputs)) {}

  std::string name() const override { return runner_.name(); }
  check::Runner& engine() override { return runner_.engine(); }
  void load(const std::string& artefact) override { runner_.load(artefact); }
  std::vector<ir::Tensor> run(const std::vector<ir::Tensor>& inputs) override {
    return in_order(runner_.run(fed(inputs)));
  }
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

/// An input or output, as text for a table of the two signatures.
struct SignatureRow {
  std::string name;
  std::string type;
};

std::string ports_text(const std::vector<SignatureRow>& ports) {
  std::string out;
  for (const SignatureRow& port : ports)
    out += cat(out.empty() ? "" : ", ", port.name, port.type.empty() ? "" : " ", port.type);
  return out.empty() ? "none" : out;
}

[[noreturn]] void refuse_signature(std::string message, const std::vector<SignatureRow>& model,
                                   const std::vector<SignatureRow>& artefact,
                                   std::string help = {}) {
  throw Error(Diagnostic{.id = "signature-mismatch",
                         .message = std::move(message),
                         .where = {},
                         .details = {cat("the model:    ", ports_text(model)),
                                     cat("the artefact: ", ports_text(artefact))},
                         .why = {},
                         .help = std::move(help)});
}

Names names_of(const std::vector<SignatureRow>& ports) {
  Names out;
  for (const SignatureRow& port : ports) out.push_back(port.name);
  return out;
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

std::vector<SignatureRow> model_input_rows(const ir::Graph& graph) {
  std::vector<SignatureRow> out;
  for (const ir::ValueId id : graph.inputs) {
    const ir::Value& value = graph.values[id];
    ir::Shape shape = value.shape;
    if (ir::is_complex(value.dtype)) shape.emplace_back(2);
    out.push_back(
        {value.name, cat(ir::dtype_name(ir::component_dtype(value.dtype)), ir::shape_str(shape))});
  }
  return out;
}

std::vector<SignatureRow> model_output_rows(const ir::Graph& graph) {
  std::vector<SignatureRow> out;
  for (const std::string& name : graph.output_names) out.push_back({name, ""});
  return out;
}

std::vector<SignatureRow> artefact_input_rows(const std::vector<spec::InputFact>& facts) {
  std::vector<SignatureRow> out;
  for (const spec::InputFact& fact : facts)
    out.push_back({fact.name, spec::dtype_str(fact) + spec::sizes_str(fact)});
  return out;
}

std::vector<SignatureRow> artefact_output_rows(const nnef::Document& document) {
  std::vector<SignatureRow> out;
  for (const std::string& name : document.graph.results) out.push_back({name, ""});
  return out;
}

/// Whether the declared input accepts the sample's values; symbols accept any size.
bool fits_input(const spec::InputFact& fact, const ir::Tensor& sample, spec::Dialect dialect) {
  const ir::DType declared = fact.dtype.value_or(sample.dtype);
  const bool same = dialect == spec::Dialect::tract ? declared == sample.dtype
                                                    : as_dtype(sample, declared).has_value();
  if (!same) return false;
  if (fact.sizes.size() != sample.shape.size()) return false;
  for (size_t i = 0; i < fact.sizes.size(); ++i)
    if (fact.sizes[i].value.value_or(sample.shape[i]) != sample.shape[i]) return false;
  return true;
}

/// "1 output", "2 outputs"
std::string count_text(const std::vector<SignatureRow>& ports, std::string_view what) {
  return cat(ports.size(), " ", what, ports.size() == 1 ? "" : "s");
}

/// For each input of the artefact, its index in the model.
Indices match_inputs(const TracedModel& model, const std::vector<spec::InputFact>& facts) {
  const std::vector<SignatureRow> ours = model_input_rows(model.traced.graph);
  const std::vector<SignatureRow> theirs = artefact_input_rows(facts);
  if (auto indices = indices_by_name(names_of(theirs), names_of(ours))) return *indices;
  if (ours.size() == theirs.size()) return by_position(ours.size());
  refuse_signature(
      cat("the artefact takes ", count_text(theirs, "input"), ", the model ", ours.size()), ours,
      theirs, "pass each argument that is a constant in the artefact with --input");
}

void check_types(const TracedModel& model, const std::vector<spec::InputFact>& facts,
                 const Indices& indices, spec::Dialect dialect) {
  const std::vector<ir::Tensor> samples = sample_tensors(model);
  for (size_t i = 0; i < facts.size(); ++i)
    if (!fits_input(facts[i], samples[indices[i]], dialect))
      refuse_signature(
          cat("the artefact's input ", quoted(facts[i].name), " does not match the model's"),
          model_input_rows(model.traced.graph), artefact_input_rows(facts),
          "use --input to pass samples of the artefact's shapes and dtypes");
}

/// For each output of the model, its index in the artefact.
Indices match_outputs(const TracedModel& model, const nnef::Document& document) {
  const std::vector<SignatureRow> ours = model_output_rows(model.traced.graph);
  const std::vector<SignatureRow> theirs = artefact_output_rows(document);
  if (ours.size() != theirs.size())
    refuse_signature(
        cat("the artefact gives ", count_text(theirs, "output"), ", the model ", ours.size()), ours,
        theirs);
  return indices_by_name(names_of(ours), names_of(theirs)).value_or(by_position(ours.size()));
}

/// Samples with the shapes and dtypes that the artefact declares, for a model without samples.
std::vector<Sample> declared_samples(const std::vector<spec::InputFact>& facts) {
  std::vector<Sample> out;
  for (size_t i = 0; i < facts.size(); ++i) {
    ir::Tensor tensor;
    tensor.dtype = facts[i].dtype.value_or(ir::DType::f32);
    for (const spec::InputSize& size : facts[i].sizes) {
      if (!size.value) return {};
      tensor.shape.push_back(*size.value);
    }
    refuse_large(facts[i], tensor.shape);
    tensor.strides = ir::contiguous_strides(tensor.shape);
    out.push_back({{{cat("input_", i)}, std::move(tensor)}, std::nullopt});
  }
  return out;
}

TracedModel traced_for_check(const CheckExistingOptions& options, const nnef::Document& document,
                             const std::vector<spec::InputFact>& facts) {
  trace::TraceOptions trace;
  trace.accepted_guards = options.accepted_guards;
  trace.max_iterations = options.max_iterations;
  trace.explicit_states = options.explicit_states;
  trace.report = options.report;
  const auto traced = [&](const std::vector<Sample>& samples) {
    return load_and_trace(
        options.model, options.method, samples, options.dynamic, trace, options.progress,
        [&](const TracedModel& model) { return has_document(model, named_target(document), {}); });
  };
  try {
    return traced(options.samples);
  } catch (const Error& error) {
    const std::vector<Sample> declared = declared_samples(facts);
    const bool helps = options.samples.empty() && !declared.empty();
    if (error.diagnostic().id != "input-missing" || !helps) throw;
    return traced(declared);
  }
}

Names row_names(const nnef::Document& document, const Indices& outputs) {
  Names out;
  for (const size_t index : outputs) out.push_back(document.graph.results[index]);
  return out;
}

/// Errors: `usage` if the file streams along another symbol.
void require_same_stream(const target::Stream& stream, const nnef::Document& document) {
  const std::string symbol = stream_properties(document).symbol;
  if (!stream.symbol.empty() && !symbol.empty() && symbol != stream.symbol)
    throw Error("usage", cat("--stream ", stream.symbol, ": the file streams along ", symbol), {},
                cat("declare the axis as ", symbol));
}

}  // namespace

CheckedModel check_existing(const CheckExistingOptions& options) {
  target::Target streaming = target::parse_target("tract");
  streaming.stream = options.stream;
  require_stream(streaming, options.dynamic);
  CheckedModel result;
  confine::may_read(
      options.artefact);  // the reference interpreter reads it after the model is loaded
  const nnef::Artefact artefact = nnef::read_artefact(options.artefact);
  const nnef::Document& document = artefact.document;
  spec::check_document(document);
  result.inputs = spec::size_rules(document).inputs;
  require_same_stream(options.stream, document);
  EngineRequest request = engine_request_for(document);
  request.needs_own = options.check.strict;
  const FoundEngine engine = find_engine(options.check.engine, request, options.check.runner);
  if (engine.warning && options.report) options.report(*engine.warning);
  TracedModel model = traced_for_check(options, document, result.inputs);
  result.model = model.info;
  const Indices inputs = match_inputs(model, result.inputs);
  check_types(model, result.inputs, inputs, spec::dialect_of(document));
  const Indices outputs = match_outputs(model, document);
  std::vector<OrderedRunner::Input> fed;
  for (const size_t index : feeding_order(document, engine.order))
    fed.push_back({inputs[index], result.inputs[index].dtype});
  OrderedRunner ordered(*engine.runner, fed, outputs);
  CheckOptions check = options.check;
  check.scratch = engine.scratch->path();
  ArtefactInputs declared = artefact_inputs_of(document);
  declared.indices = inputs;
  options.progress("check");
  result.checked = check_artefact(options.artefact, model, row_names(document, outputs), check,
                                  ordered, spec::dialect_of(document), declared);
  check_calls(model, row_names(document, outputs), options.check, ordered, declared,
              spec::dialect_of(document), result.checked);
  if (!options.stream.symbol.empty())
    check_in_pulses(model, row_names(document, outputs), options.check, ordered, declared,
                    options.stream, stream_properties(document), result.checked);
  // An accepted guard may make numbers of the artefact depend on the inputs of the trace.
  if (options.accepted_guards.empty()) {
    const Contents contents = contents_of(artefact, model);
    const bool differs = std::any_of(
        result.checked.rows.begin(), result.checked.rows.end(),
        [](const check::OutputRow& row) { return check::verdict(row) == check::Verdict::differs; });
    if (contents.are_known || differs) result.other_contents = contents.other;
    result.is_as_exported = contents.are_known && !contents.other;
  }
  // The compared choices are those of a new export, not of this artefact.
  if (!result.is_as_exported)
    for (check::OutputRow& row : result.checked.rows) row.has_valid_choices = false;
  return result;
}

}  // namespace t2n
