#include "src/export/pipeline.h"

#include <algorithm>
#include <filesystem>

#include "nnef_writer/archive.h"
#include "src/diag/error.h"
#include "src/export/signature.h"
#include "src/export/states.h"
#include "src/export/torch_module.h"

namespace t2n {
namespace {

namespace fs = std::filesystem;

/// Samples of the user, completed by those of the file for places that the user left open.
std::vector<Sample> merge_samples(const std::vector<Sample>& given,
                                  const std::vector<trace::SampleInput>& kept) {
  if (kept.empty()) return given;
  std::vector<Sample> out;
  std::vector<bool> used(given.size(), false);
  size_t tensors = 0;
  for (const trace::SampleInput& place : kept) {
    const bool tensor = std::holds_alternative<ir::Tensor>(place.value);
    const std::string flat = trace::flat_name(place.path);
    const std::string position = cat("input_", tensors);
    if (tensor) ++tensors;
    const auto match = [&](const Sample& s) {
      const std::string name = trace::flat_name(s.input.path);
      return s.input.path == place.path || name == flat || (tensor && name == position);
    };
    const auto found = std::find_if(given.begin(), given.end(), match);
    if (found == given.end()) {
      out.push_back({place, std::nullopt});
      continue;
    }
    used[static_cast<size_t>(found - given.begin())] = true;
    out.push_back({{place.path, found->input.value}, found->range});
  }
  for (size_t i = 0; i < given.size(); ++i)
    if (!used[i])
      out.push_back(given[i]);  // unknown names are refused where the arguments are bound
  return out;
}

struct TracedModel {
  trace::ModelInfo info;
  std::shared_ptr<trace::Session> session;
  std::vector<Sample> samples;
  trace::Traced traced;
  bool samples_from_file = false;
  std::vector<std::string> inputs;  ///< names of the graph's inputs, before any is pruned
  std::optional<dynamic::DynamicTrace> dynamic;  ///< its `traced` moved to the one above
};

/// Integer inputs without values start as zeros; a first run shows what they index.
void learn_ranges(TracedModel& model, const trace::TraceOptions& options) {
  if (!needs_ranges(model.samples)) return;
  std::vector<Sample> zeros = model.samples;
  for (Sample& sample : zeros)
    if (const auto* tensor = std::get_if<ir::Tensor>(&sample.input.value))
      if (ir::is_integer(tensor->dtype) && !sample.range) sample.range = trace::Range{0, 1};
  const trace::Traced first = torch_module().trace(*model.session, fill(zeros, 0), options);
  // Graph inputs are the tensor leaves in the order of the arguments, samples may be in any: match
  // names.
  for (Sample& sample : model.samples) {
    const std::string name = trace::flat_name(sample.input.path);
    for (size_t i = 0; i < first.graph.inputs.size(); ++i) {
      const std::string& input =
          first.graph.values[static_cast<size_t>(first.graph.inputs[i])].name;
      if ((input == name || cat("input_", i) == name) && !sample.range)
        sample.range = first.ranges[i];
    }
  }
}

TracedModel load_and_trace(const std::string& path, const std::string& method,
                           const std::vector<Sample>& samples, const DynamicOptions& dynamic,
                           trace::TraceOptions options,
                           const std::function<void(std::string_view)>& progress) {
  TracedModel model;
  progress("load");
  model.session = torch_module().load(path, method);
  model.info = torch_module().describe(*model.session);
  model.samples = merge_samples(samples, model.info.samples);
  model.samples_from_file = samples.empty() && !model.info.samples.empty();
  progress("trace");
  learn_ranges(model, options);
  options.free_axes = declared_axes(dynamic);
  if (dynamic.axes.empty() || options.explicit_states) {
    model.traced = torch_module().trace(*model.session, fill(model.samples, 0), options);
    model.samples = with_states(std::move(model.samples), model.traced);
  }
  if (!dynamic.axes.empty()) {
    model.dynamic = trace_dynamic_model(*model.session, model.samples, dynamic, options);
    model.traced = std::move(model.dynamic->traced);
  }
  for (const ir::ValueId id : model.traced.graph.inputs)
    model.inputs.push_back(model.traced.graph.values[static_cast<size_t>(id)].name);
  ir::verify(model.traced.graph, "trace");
  return model;
}

std::string default_output(const std::string& model) {
  return fs::path(model).stem().string() + ".nnef.tgz";
}

void refuse_model_as_output(const std::string& model, const fs::path& output) {
  std::error_code ignored;
  if (fs::equivalent(model, output, ignored))
    throw Error("output-is-model",
                cat("the output ", quoted(output.string()), " is the model itself"), {},
                "give another path with -o");
}

std::vector<Port> ports(const ir::Graph& graph, const std::vector<ir::ValueId>& ids) {
  std::vector<Port> out;
  for (const ir::ValueId id : ids) {
    const ir::Value& value = graph.values[static_cast<size_t>(id)];
    out.push_back({value.name, value.dtype, value.shape, false, {}, {}});
  }
  return out;
}

/// Complex tensors are real ones in the file, with one axis more; said once for all of them.
void say_pairs(ExportResult& result, const Report& report) {
  std::string names;
  for (std::vector<Port>* side : {&result.inputs, &result.outputs})
    for (Port& port : *side) {
      if (!ir::is_complex(port.dtype)) continue;
      port.dtype = ir::component_dtype(port.dtype);
      port.shape.emplace_back(2);
      names += (names.empty() ? "" : ", ") + quoted(port.name);
    }
  if (names.empty() || !report) return;
  report(
      Diagnostic{.severity = Severity::warning,
                 .id = "complex-as-pairs",
                 .message = cat("real and imaginary parts lie along a last axis of two in ", names),
                 .where = {},
                 .details = {},
                 .why = "NNEF has no complex numbers",
                 .help = "use torch.view_as_real and torch.view_as_complex at the border"});
}

void add_dynamic(ExportResult& result, const dynamic::DynamicTrace& dynamic) {
  result.relations = dynamic.relations;
  std::set<std::string> measured;
  for (const dynamic::Measured& value : dynamic.measured) measured.insert(value.op);
  result.measured.assign(measured.begin(), measured.end());
}

size_t count_operations(const nnef::Document& document) {
  return static_cast<size_t>(std::count_if(document.graph.body.begin(), document.graph.body.end(),
                                           [](const nnef::Assignment& assignment) {
                                             const std::string& op = assignment.right.text;
                                             return op != "variable" && op != "external" &&
                                                    op != "tract_core_external";
                                           }));
}

int64_t size_on_disk(const fs::path& path) {
  if (!fs::is_directory(path)) return static_cast<int64_t>(fs::file_size(path));
  int64_t sum = 0;
  for (const auto& entry : fs::recursive_directory_iterator(path))
    if (entry.is_regular_file()) sum += static_cast<int64_t>(entry.file_size());
  return sum;
}

std::unique_ptr<check::Runner> find_runner(const CheckOptions& options,
                                           const target::Target& target) {
  const tract::Version version{target.version.major, target.version.minor, target.version.patch};
  return check::tract_runner(
      tract::find_engine(tract::search_from_environment(options.engine), version), options.runner);
}

std::vector<ir::Tensor> tensor_leaves(const std::vector<trace::SampleInput>& inputs,
                                      const TracedModel& model) {
  const ir::Graph& graph = model.traced.graph;
  std::vector<ir::Tensor> out;
  for (const ir::ValueId id : graph.inputs) {
    const std::string& name = graph.values[static_cast<size_t>(id)].name;
    const auto place = std::find(model.inputs.begin(), model.inputs.end(), name);
    for (const trace::SampleInput& input : inputs) {
      if (!is_sample_of(input, name, static_cast<size_t>(place - model.inputs.begin()))) continue;
      out.push_back(ir::as_pairs(std::get<ir::Tensor>(input.value)));
      break;
    }
  }
  T2N_ASSERT(out.size() == graph.inputs.size(), "the graph has ", graph.inputs.size(), " inputs, ",
             out.size(), " have values");
  return out;
}

bool is_worse(const check::Comparison& a, const check::Comparison& b) {
  if (a.verdict != b.verdict) return a.verdict == check::Verdict::differs;
  return a.max_abs > b.max_abs;
}

/// What one run of the check feeds.
struct InputSet {
  std::vector<trace::SampleInput> inputs;
  std::vector<ir::Tensor> expected;
  size_t sizes = 0;  ///< which setting of the symbols
};

/// The sample's sizes with several seeds, then two further settings of the dynamic axes.
std::vector<InputSet> input_sets(TracedModel& model, const CheckOptions& options,
                                 std::vector<dynamic::Sizes>& sizes) {
  std::vector<InputSet> out = {{fill(model.samples, 0), model.traced.outputs, 0}};
  for (int seed = 1; seed < std::max(options.seeds, 2); ++seed) {
    auto inputs = fill(model.samples, static_cast<uint64_t>(seed));
    auto expected = torch_module().run(*model.session, inputs);
    out.push_back({std::move(inputs), std::move(expected), 0});
  }
  if (!model.dynamic) return out;
  sizes = {model.dynamic->chooser.sample()};
  const auto runs = [&](const dynamic::Sizes& at) {
    auto inputs = fill(samples_at(model.samples, model.inputs, model.dynamic->inputs, at), 1);
    try {
      auto expected = torch_module().run(*model.session, inputs);
      out.push_back({std::move(inputs), std::move(expected), sizes.size()});
    } catch (const Error& error) {
      if (error.diagnostic().id != "forward-failed") throw;
      return false;
    }
    sizes.push_back(at);
    return true;
  };
  sizes_to_check(model.dynamic->chooser, runs);
  return out;
}

/// An engine that fails at other sizes fails because of them: the message says so.
std::vector<ir::Tensor> run_set(check::Runner& runner, const InputSet& set,
                                const TracedModel& model,
                                const std::vector<dynamic::Sizes>& sizes) {
  try {
    return runner.run(tensor_leaves(set.inputs, model));
  } catch (const Error& error) {
    if (sizes.empty()) throw;
    Diagnostic diagnostic = error.diagnostic();
    diagnostic.message += cat(", at ", dynamic::sizes_str(sizes[set.sizes]));
    throw Error(std::move(diagnostic));
  }
}

/// Runs every input set in the engine and keeps the worst comparison of each output.
void check_artefact(const std::string& path, TracedModel& model,
                    const std::vector<std::string>& names, const CheckOptions& options,
                    check::Runner& runner, ExportResult& result) {
  runner.load(path);
  result.engine = runner.name();
  const std::vector<InputSet> sets = input_sets(model, options, result.sizes);
  for (const InputSet& set : sets) {
    const auto actual = run_set(runner, set, model, result.sizes);
    if (actual.size() != set.expected.size())
      throw Error("engine-failed", cat("the engine gave ", actual.size(),
                                       " outputs, the model has ", set.expected.size()));
    for (size_t i = 0; i < actual.size(); ++i) {
      check::OutputRow row{names[i], check::compare(set.expected[i], actual[i], options.tolerance),
                           std::nullopt, ""};
      if (set.sizes > 0) row.sizes = dynamic::sizes_str(result.sizes[set.sizes]);
      if (result.rows.size() <= i)
        result.rows.push_back(std::move(row));
      else if (is_worse(row.comparison, result.rows[i].comparison))
        result.rows[i] = std::move(row);
    }
  }
  for (size_t i = 0; i < result.rows.size(); ++i)
    for (const InputSet& set : sets)
      if (&set != &sets[0] && set.sizes == 0)
        result.rows[i].response =
            std::max(result.rows[i].response.value_or(0),
                     check::response(sets[0].expected[i], set.expected[i], options.tolerance));
}

void judge(ExportResult& result, const CheckOptions& options, const Report& report) {
  Diagnostic mismatch{
      .id = "output-mismatch", .message = {}, .where = {}, .details = {}, .why = {}, .help = {}};
  std::string blind;
  for (const check::OutputRow& row : result.rows) {
    const check::Verdict verdict = check::verdict(row);
    if (verdict == check::Verdict::differs) {
      std::string text = check::mismatch_text(row.name, row.comparison);
      if (!row.sizes.empty()) text += cat(", at ", row.sizes);
      if (mismatch.message.empty())
        mismatch.message = text;
      else
        mismatch.details.push_back(text);
    } else if (verdict == check::Verdict::inconclusive) {
      blind += (blind.empty() ? "" : ", ") + quoted(row.name);
    }
  }
  if (!mismatch.message.empty()) {
    mismatch.why = cat(result.engine, " computes other values than the model; nothing was written");
    throw Error(std::move(mismatch));
  }
  result.inconclusive = !blind.empty();
  if (blind.empty()) return;
  Diagnostic note{
      .severity = options.strict ? Severity::error : Severity::warning,
      .id = "inconclusive-check",
      .message = cat("the check says nothing about ", blind),
      .where = {},
      .details = {},
      .why = "different inputs give nearly the same output, so a wrong file would pass as well",
      .help = "give real inputs with --input x=@file.npy, or a stricter level with --check=close"};
  if (options.strict) throw Error(std::move(note));
  if (report) report(note);
}

}  // namespace

nnef::Document to_nnef(ir::Graph& graph, const target::Target& target,
                       const passes::PipelineOptions& options, const Report& report) {
  ops::translations();  // fills the columns that passes read, of promotions among others
  passes::PassContext context;
  context.evaluate = torch_module().evaluator();
  context.is_native = [&](ir::OpId op) { return ops::find_variant(op, target) != nullptr; };
  context.report = report;
  context.keeps_symbol = [](std::string_view) { return true; };
  passes::run_pipeline(graph, passes::default_pipeline(), context, options);
  return ops::translate(graph, target, report);
}

ExportResult export_model(const ExportOptions& options) {
  const auto progress = [&](std::string_view stage) {
    if (options.progress) options.progress(stage);
  };
  ExportResult result;
  result.path = options.output.empty() ? default_output(options.model) : options.output;
  nnef::Destination destination = nnef::parse_destination(result.path);
  destination.level = options.compression;
  refuse_model_as_output(options.model, destination.path);
  nnef::check_destination(destination);
  // The engine is looked for first: a missing one must not cost an export.
  const auto runner = options.check ? find_runner(*options.check, options.target) : nullptr;

  trace::TraceOptions trace_options;
  trace_options.accepted_guards = options.accepted_guards;
  trace_options.explicit_states = options.explicit_states;
  trace_options.report = options.report;
  TracedModel model = load_and_trace(options.model, options.method, options.samples,
                                     options.dynamic, trace_options, progress);
  ir::Graph& graph = model.traced.graph;
  result.model = model.info;
  result.samples_from_file = model.samples_from_file;
  result.constant_inputs = model.traced.constant_inputs;
  result.inputs = ports(graph, graph.inputs);
  result.outputs = ports(graph, graph.outputs);
  for (size_t i = 0; i < result.outputs.size(); ++i) result.outputs[i].name = graph.output_names[i];
  const std::vector<std::string> names = graph.output_names;
  if (model.dynamic) add_dynamic(result, *model.dynamic);
  pair_states(model.traced, result);
  say_pairs(result, options.report);

  progress("passes");
  nnef::Document document = to_nnef(graph, options.target, options.passes, options.report);
  settle_unused(options, graph, document, result);
  result.operations = count_operations(document);
  progress("write");
  nnef::PendingArtefact artefact = nnef::write_artefact(document, destination);
  if (options.check) {
    progress("check");
    check_artefact(artefact.path().string(), model, names, *options.check, *runner, result);
    judge(result, *options.check, options.report);
  }
  artefact.commit();
  result.bytes = size_on_disk(destination.path);
  progress("done");
  return result;
}

Inspection inspect_model(const std::string& model, const std::string& method,
                         const std::vector<Sample>& samples, const DynamicOptions& dynamic,
                         bool explicit_states, const Report& report) {
  Inspection out;
  const auto session = torch_module().load(model, method);
  out.model = torch_module().describe(*session);
  try {
    trace::TraceOptions options;
    options.explicit_states = explicit_states;
    options.report = report;
    TracedModel traced =
        load_and_trace(model, method, samples, dynamic, options, [](std::string_view) {});
    passes::PassContext context;
    context.keeps_symbol = [](std::string_view) { return true; };
    context.evaluate = torch_module().evaluator();
    passes::run_pipeline(traced.traced.graph,
                         {"bind-sizes", "dead-code", "fold-constants", "dead-code"}, context, {});
    out.states = std::move(traced.traced.states);
    out.graph = std::move(traced.traced.graph);
  } catch (const Error& error) {
    if (error.diagnostic().id != "input-missing") throw;
  }
  return out;
}

}  // namespace t2n
