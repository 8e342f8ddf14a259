// SPDX-License-Identifier: Apache-2.0
// Merges the user's samples with the file's, finds ranges in a first run, and traces.
#include "src/export/traced_model.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>

#include "ir/dead_code.h"
#include "src/confine/confine.h"
#include "src/diag/error.h"
#include "src/dynamic/other_values.h"
#include "src/dynamic/unbacked_sizes.h"
#include "src/export/declared_axes.h"
#include "src/export/graph_file.h"
#include "src/export/graph_model.h"
#include "src/export/own_operators.h"
#include "src/export/pass_table.h"
#include "src/export/quantised_model.h"
#include "src/extend/own_fragments.h"
#include "src/limits/limits.h"
#include "src/limits/watch.h"
#include "src/model/torch_module.h"
#include "src/samples/input_spec.h"
#include "src/samples/samples_at.h"
#include "src/translate/integer_range.h"

namespace t2n {
namespace {

/// Renames saved values of positional arguments, {"input", "1", …}, by the arguments.
std::vector<Sample> with_names(std::vector<Sample> samples,
                               const std::vector<trace::ArgumentInfo>& arguments) {
  const bool is_name = std::any_of(arguments.begin(), arguments.end(),
                                   [](const auto& argument) { return argument.name == "input"; });
  for (Sample& sample : samples) {
    std::vector<std::string>& path = sample.input.path;
    size_t index = 0;
    if (is_name || path.size() < 2 || path[0] != "input") continue;
    const char* const end = path[1].data() + path[1].size();
    const auto [stop, error] = std::from_chars(path[1].data(), end, index);
    if (error != std::errc() || stop != end || index >= arguments.size()) continue;
    path.erase(path.begin());
    path[0] = arguments[index].name;
  }
  return samples;
}

/// The user's samples, completed by the file's.
std::vector<Sample> merge_samples(const std::vector<Sample>& user_samples,
                                  const std::vector<trace::SampleInput>& file_samples) {
  if (file_samples.empty()) return user_samples;
  std::vector<Sample> out;
  std::vector<bool> used(user_samples.size(), false);
  size_t tensors = 0;
  for (const trace::SampleInput& file_sample : file_samples) {
    const bool tensor = std::holds_alternative<ir::Tensor>(file_sample.value);
    const std::string flat = trace::flat_name(file_sample.path);
    const std::string position = cat("input_", tensors);
    if (tensor) ++tensors;
    const auto match = [&](const Sample& s) {
      const std::string name = trace::flat_name(s.input.path);
      return s.input.path == file_sample.path || name == flat || (tensor && name == position);
    };
    const auto found = std::find_if(user_samples.begin(), user_samples.end(), match);
    if (found == user_samples.end()) {
      out.push_back({file_sample, std::nullopt});
      continue;
    }
    used[found - user_samples.begin()] = true;
    out.push_back({{file_sample.path, found->input.value}, found->range, {}, found->float_range});
  }
  for (size_t i = 0; i < user_samples.size(); ++i)
    if (!used[i]) out.push_back(user_samples[i]);  // binding the arguments refuses unknown names
  return out;
}

/// Finds ranges in a run with integers 0 or, if torch rejects these as lengths of sequences, 1.
std::vector<trace::InputRange> ranges_of_inputs(TracedModel& model, bool explicit_states) {
  const auto samples_with = [&](int64_t value) {
    std::vector<Sample> out = model.samples;
    for (Sample& sample : out)
      if (const auto* tensor = std::get_if<ir::Tensor>(&sample.input.value))
        if (ir::is_integer(tensor->dtype) && !sample.range)
          sample.range = trace::IntegerRange{value, value + 1};
    return fill(out, 0);
  };
  try {
    return torch_module().input_ranges(*model.session, samples_with(0), explicit_states);
  } catch (const Error& error) {
    if (error.diagnostic().id != "forward-failed") throw;
  }
  return torch_module().input_ranges(*model.session, samples_with(1), explicit_states);
}

/// Finds what integer inputs without values index, in a first run.
void learn_ranges(TracedModel& model, const trace::TraceOptions& options) {
  if (!needs_ranges(model.samples)) return;
  const std::vector<trace::InputRange> seen = ranges_of_inputs(model, options.explicit_states);
  // Samples may have another order than the arguments: match names.
  for (Sample& sample : model.samples) {
    const std::string name = trace::flat_name(sample.input.path);
    for (size_t i = 0; i < seen.size(); ++i)
      if ((seen[i].name == name || cat("input_", i) == name) && !sample.range)
        sample.range = seen[i].range;
  }
}

/// Adds the states that a trace found to the samples, with their initial values.
std::vector<Sample> with_states(std::vector<Sample> samples, const trace::Traced& traced) {
  for (const trace::State& state : traced.states) {
    const auto found = std::find_if(samples.begin(), samples.end(), [&](const Sample& sample) {
      return trace::flat_name(sample.input.path) == state.name;
    });
    if (found != samples.end())
      found->input.is_state = true;
    else
      samples.push_back({{{state.name}, state.initial, true}, traced.ranges[state.input]});
  }
  return samples;
}

/// The declared axes, by flat name: states may grow along them.
std::set<std::pair<std::string, int64_t>> declared_axes(const DynamicOptions& dynamic) {
  std::set<std::pair<std::string, int64_t>> out;
  for (const dynamic::AxisSpec& spec : dynamic.axes) {
    std::string name = spec.input;  // "past.0.k", "past[0].k"
    std::erase(name, ']');
    std::replace_if(
        name.begin(), name.end(), [](char c) { return c == '.' || c == '['; }, '_');
    out.emplace(std::move(name), spec.axis);
  }
  return out;
}

/// Stores the ranges of integer inputs in the graph: declared ones, or those of the axes that they
/// index, including negative indices.
void note_ranges(TracedModel& model) {
  ir::Graph& graph = model.traced.graph;
  ops::InputRanges ranges;
  const bool is_dynamic = model.dynamic && !model.dynamic->chooser.sample().empty();
  for (size_t i = 0; i < model.inputs.size(); ++i) {
    const std::string& name = model.inputs[i];
    const auto& known = model.traced.ranges;
    const bool has_range = i < known.size() && known[i].has_value();
    const trace::IntegerRange range = has_range ? *known[i] : trace::IntegerRange{};
    if (has_range && !range.are_lengths) ranges[name] = {-range.second, range.second};
    if (has_range && range.are_lengths && !is_dynamic) ranges[name] = {range.first, range.second};
    for (const Sample& sample : model.samples)
      if (is_sample_of(sample.input, name, i) && sample.range &&
          !(has_range && *sample.range == range))
        ranges[name] = {sample.range->first, sample.range->second};
  }
  if (!ranges.empty()) graph.attributes[ops::kInputRanges] = std::move(ranges);
}

/// Traces once, at the sample's sizes. Returns whether the graph has data-dependent sizes.
bool trace_once(TracedModel& model, trace::TraceOptions options) {
  bool met_unbacked_sizes = false;
  options.met_unbacked_sizes = &met_unbacked_sizes;
  try {
    model.traced = torch_module().trace(*model.session, fill(model.samples, 0), options);
  } catch (const Error&) {
    // The trace may have read one of these sizes.
    if (!met_unbacked_sizes || options.explicit_states) throw;
    return true;
  }
  model.samples = with_states(std::move(model.samples), model.traced);
  if (!met_unbacked_sizes) return false;
  ir::Graph alive = model.traced.graph;
  passes::run_pipeline(alive, {"expand-packed"}, {});
  ir::remove_dead(alive);
  return dynamic::has_unbacked_sizes(alive);
}

void trace_samples(TracedModel& model, const DynamicOptions& dynamic, trace::TraceOptions options) {
  options.free_axes = declared_axes(dynamic);
  if ((dynamic.axes.empty() || options.explicit_states) && !trace_once(model, options) &&
      dynamic.axes.empty())
    return;
  model.dynamic = trace_dynamic_model(*model.session, model.samples, dynamic, options);
  model.traced = std::move(model.dynamic->traced);
}

/// Sets these ranges for inputs without values and without a range.
std::vector<Sample> drawn_within(std::vector<Sample> samples, FloatRange float_range,
                                 trace::IntegerRange integers) {
  for (Sample& sample : samples) {
    const auto* tensor = std::get_if<ir::Tensor>(&sample.input.value);
    if (tensor == nullptr || !tensor->bytes.empty()) continue;
    if (ir::is_float(tensor->dtype) && !sample.float_range) sample.float_range = float_range;
    if (ir::is_integer(tensor->dtype) && !sample.range) sample.range = integers;
  }
  return samples;
}

/// Traces; if the model fails with random values, retries with small positive ones. Errors: those
/// of the first values.
void trace_drawn(TracedModel& model, const DynamicOptions& dynamic,
                 const trace::TraceOptions& options) {
  const std::vector<Sample> samples = model.samples;
  const auto attempt = [&]() -> std::optional<Diagnostic> {
    try {
      learn_ranges(model, options);
      trace_samples(model, dynamic, options);
      return std::nullopt;
    } catch (const Error& error) {
      if (!dynamic::may_be_of_values(error)) throw;
      return error.diagnostic();
    }
  };
  std::optional<Diagnostic> failure = attempt();
  if (!failure) return;
  const std::string names = drawn_inputs(samples);
  if (names.empty()) throw Error(*failure);
  bool is_of_values =
      failure->id == "trace-limit" || failure->why.starts_with(trace::kConditionOnValues);
  constexpr std::array<FloatRange, 2> kRanges = {{{0.1, 1}, {0.01, 0.1}}};
  for (const FloatRange& float_range : kRanges) {
    model.samples = drawn_within(samples, float_range, {1, 3});
    const auto other = attempt();
    if (!other) {
      Diagnostic warning{.severity = Severity::warning,
                         .id = "values-drawn",
                         .message = cat("the model fails with the first random values for ", names,
                                        ": positive ones are used"),
                         .why = failure->message,
                         .help = kOtherValues};
      if (options.report) options.report(warning);
      return;
    }
    is_of_values = is_of_values || other->message != failure->message;
  }
  model.samples = samples;
  if (is_of_values) {
    failure->details.push_back(cat("random values were used for ", names));
    failure->help = kOtherValues;
  }
  throw Error(*std::move(failure));
}

trace::TraceOptions trace_options(const ModelOptions& options) {
  trace::TraceOptions out;
  out.accepted_guards = options.accepted_guards;
  out.max_iterations = options.max_iterations;
  out.explicit_states = options.explicit_states;
  out.notes_loops = options.reroll_loops;
  out.report = options.report;
  return out;
}

/// Explains an unknown name that is an array of an .npz.
void explain_unknown(const Error& error, const std::vector<Sample>& samples,
                     const trace::ModelInfo& model) {
  if (error.diagnostic().id != "input-unknown") return;
  std::vector<std::string> inputs;
  for (const trace::ArgumentInfo& argument : model.arguments) inputs.push_back(argument.name);
  for (size_t i = 0; i < samples.size(); ++i) {
    const std::string name = trace::flat_name(samples[i].input.path);
    if (!samples[i].file.empty() && error.diagnostic().subject == name)
      throw unknown_input(samples, i, "the model", inputs);
  }
}

}  // namespace

LoadedModel load_model(const ModelOptions& options) {
  std::error_code ignored;
  const auto size = std::filesystem::file_size(options.model, ignored);
  const limits::Stage stage("loading the model",
                            limits::read_seconds(ignored ? 0 : static_cast<int64_t>(size)));
  if (is_graph_file(options.model)) return load_graph(options);
  const auto& torch = torch_module();  // loads its libraries while everything may still be read
  confine::may_read(options.model);
  for (const Sample& sample : options.samples)
    if (!sample.file.empty()) confine::may_read(sample.file);
  for (const std::string& plugin : extend::extensions().plugins) confine::may_read(plugin);
  confine::enter_if_armed();
  define_own_operators();
  LoadedModel model;
  model.session = torch.load(options.model, options.method);
  model.info = torch.describe(*model.session);
  model.closed = close_axes(model.info, options.dynamic);
  require_assertions(model, options.dynamic);
  model = with_samples(std::move(model), options.samples);
  require_closed_sizes(model.closed, model.samples);
  return model;
}

LoadedModel with_samples(LoadedModel model, const std::vector<Sample>& samples) {
  model.samples = merge_samples(with_names(samples, model.info.arguments), model.info.samples);
  model.samples_from_file = samples.empty() && !model.info.samples.empty();
  return model;
}

TracedModel trace_model(const LoadedModel& loaded, const ModelOptions& options) {
  if (loaded.graph) return model_of_graph(loaded);
  const limits::Stage stage("tracing the model");
  TracedModel model{loaded, {}, {}, {}};
  DynamicOptions dynamic = options.dynamic;
  dynamic.progress = options.progress;
  try {
    trace_drawn(model, dynamic, trace_options(options));
  } catch (const Error& error) {
    explain_unknown(error, options.samples, model.info);
    throw;
  }
  model.inputs = ir::input_names(model.traced.graph);
  // Here, so that a check evaluates plain operations, too.
  expand_quantised(model.traced);
  note_ranges(model);
  report_unproven(model.traced.graph, options.report);
  return model;
}

void trace_with_fixed_numbers(const LoadedModel& loaded, const ModelOptions& options) {
  const limits::Stage stage("looking for further refusals");
  TracedModel model{loaded, {}, {}, {}};
  trace::TraceOptions fixed = trace_options(options);
  trace::ReadNumbers numbers;
  fixed.report = {};
  fixed.fixed_numbers = &numbers;
  trace_drawn(model, options.dynamic, fixed);
}

trace::Survey survey_model(const LoadedModel& loaded, const ModelOptions& options, bool keeps_sizes,
                           bool* met_unbacked_sizes) {
  const limits::Stage stage("looking for further refusals");
  TracedModel model{loaded, {}, {}, {}};
  trace::TraceOptions survey = trace_options(options);
  survey.report = {};
  survey.notes_loops = false;
  survey.max_operations = 200'000;  // loops run as their values end them, or never
  survey.keep_sizes = survey.unbacked_sizes = survey.read_sizes = keeps_sizes;
  survey.met_unbacked_sizes = met_unbacked_sizes;
  survey.free_axes = declared_axes(options.dynamic);
  try {
    learn_ranges(model, survey);
  } catch (const Error&) {
    // The operation that fails is found below.
  }
  return torch_module().survey(*model.session, fill(model.samples, 0), survey);
}

TracedModel trace_at_one_size(const LoadedModel& loaded, const ModelOptions& options) {
  ModelOptions quiet = options;
  quiet.dynamic = {};
  quiet.report = {};
  return trace_model(loaded, quiet);
}

TracedModel trace_to_export(const LoadedModel& loaded, const ModelOptions& options,
                            const std::function<bool(const TracedModel&)>& has_file) {
  if (options.dynamic.axes.empty()) return trace_model(loaded, options);
  DiagnosticList diagnostics;
  const auto report_all = [&] {
    for (const Diagnostic& each : diagnostics.items)
      if (options.report) options.report(each);
  };
  ModelOptions attempted = options;
  attempted.report = diagnostics.report();
  std::optional<TracedModel> model;
  try {
    model = trace_model(loaded, attempted);
  } catch (const Error&) {
    report_all();
    throw;
  }
  if (model->dynamic && model->dynamic->has_orders && !has_file(*model)) {
    attempted.dynamic.takes_orders = true;
    attempted.report = options.report;
    return trace_model(loaded, attempted);
  }
  report_all();
  return *std::move(model);
}

}  // namespace t2n
