// SPDX-License-Identifier: Apache-2.0
// Traces repeatedly until every part of the model that forward changes is found. In each trace, the
// parts found so far are inputs.
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <unordered_set>

#include "src/diag/error.h"
#include "src/frontend/load/convert.h"
#include "src/frontend/load/warning_relay.h"
#include "src/frontend/record/module_names.h"
#include "src/frontend/run/interpreter.h"
#include "src/frontend/session/attempt.h"
#include "src/frontend/session/control_lines.h"
#include "src/frontend/session/inputs.h"
#include "src/frontend/session/session.h"
#include "src/frontend/session/state_names.h"
#include "src/frontend/state/constant_inputs.h"
#include "src/frontend/state/observers.h"
#include "src/loops/finish.h"

namespace t2n::trace {
namespace {

/// Unique names of results, distinct from the names of inputs.
std::vector<std::string> output_names(const ir::Graph& graph,
                                      const std::vector<FlatOutput>& outputs) {
  std::unordered_set<std::string> taken;
  for (const ir::ValueId input : graph.inputs) taken.insert(graph.values[input].name);
  std::vector<std::string> names;
  for (const FlatOutput& output : outputs) {
    std::string name = output.name.empty() ? cat("output_", names.size()) : output.name;
    if (taken.contains(name)) name += "_out";
    for (int i = 1; !taken.insert(name).second; ++i) name = cat(output.name, "_out_", i);
    names.push_back(name);
  }
  return names;
}

/// The symbols that decisions depend on.
std::set<ir::Symbol> symbols_in(const std::vector<Decision>& decisions) {
  std::set<ir::Symbol> out;
  const auto add = [&](const ir::Dim& dim) {
    for (const ir::Symbol& symbol : dim.symbols()) out.insert(symbol);
  };
  for (const Decision& decision : decisions) {
    add(decision.sizes);
    if (!decision.comparison) continue;
    add(decision.comparison->left);
    add(decision.comparison->right);
  }
  return out;
}

/// Whether two attempts failed for the same reason: the same kind of error at the same location.
bool is_same_failure(const Diagnostic& a, const Diagnostic& b) {
  const auto same_frame = [](const Frame& x, const Frame& y) {
    return x.file == y.file && x.line == y.line && x.column == y.column;
  };
  const auto same_location = [&](const Where& x, const Where& y) {
    return x.module == y.module && std::equal(x.frames.begin(), x.frames.end(), y.frames.begin(),
                                              y.frames.end(), same_frame);
  };
  return a.id == b.id &&
         std::equal(a.where.begin(), a.where.end(), b.where.begin(), b.where.end(), same_location);
}

/// The range of a tensor's bytes in memory.
std::pair<const char*, const char*> memory_range(const at::Tensor& tensor) {
  const auto* begin = static_cast<const char*>(tensor.const_data_ptr());
  int64_t last = 0;
  for (int64_t d = 0; d < tensor.dim(); ++d) last += (tensor.size(d) - 1) * tensor.stride(d);
  const int64_t bytes = tensor.numel() == 0 ? 0 : (last + 1) * tensor.element_size();
  return {begin, begin + bytes};
}

/// Another leaf whose bytes overlap those of `path`; "" if there is none.
std::string shares_memory(const std::vector<Attribute>& attributes, const std::string& path) {
  const at::Tensor own = tensor_at(attributes, path);
  if (!own.defined() || !own.has_storage()) return {};
  const auto [begin, end] = memory_range(own);
  for (const Attribute& attribute : attributes)
    for (const ModelValue& leaf : attribute.leaves) {
      if (leaf.path == path || !leaf.value.isTensor() || !leaf.value.toTensor().defined() ||
          !leaf.value.toTensor().has_storage())
        continue;
      const auto [other, other_end] = memory_range(leaf.value.toTensor());
      if (begin < other_end && other < end) return leaf.path;
    }
  return {};
}

Session::Tensors cloned(const Session::Tensors& tensors) {
  Session::Tensors out = tensors;
  for (auto& [path, tensor] : out) tensor = tensor.clone();
  return out;
}

/// Whether the value at a path, or anything below it, depends on an input.
bool is_dependent(const std::set<std::string>& dependent, const std::string& path) {
  const auto first = dependent.lower_bound(path);
  return first != dependent.end() && (*first == path || first->starts_with(path + "."));
}

std::ptrdiff_t index_of(const std::vector<ir::ValueId>& inputs, ir::ValueId input) {
  return std::find(inputs.begin(), inputs.end(), input) - inputs.begin();
}

}  // namespace

Session::Split Session::split(const std::vector<SampleInput>& inputs, bool may_be_states) const {
  Split out;
  std::vector<Attribute> attributes;
  if (may_be_states) attributes = list_attributes(model());
  for (const SampleInput& sample : inputs) {
    const auto* tensor = std::get_if<ir::Tensor>(&sample.value);
    const bool could_be = may_be_states && tensor != nullptr;
    const std::string path = could_be ? state_of(sample, schema(), attributes, states_) : "";
    if (path.empty())
      out.arguments.push_back(sample);  // unknown names are refused when arguments are bound
    else if (!out.states.emplace(path, to_torch_copy(*tensor)).second)
      throw Error("usage", cat("the state ", quoted(path), " is given twice"));
  }
  return out;
}

void Session::run_recorded(const Split& samples, const TraceOptions& options, StateWatch& watch,
                           Attempt& attempt) {
  Traced& out = attempt.traced;
  const BoundInputs bound = bind_inputs(schema(), samples.arguments);
  out.constant_inputs = bound.constants;
  const ModuleNames names(loaded_.module, out.graph);
  out.graph.name = class_name_of(*loaded_.module.type());
  ir::Naming naming;
  loops::Rerolling rerolling(out.graph, naming);
  Recorder recorder(rerolling, names, loaded_.mapping, loaded_.ran_code, is_frozen(),
                    options.keep_sizes);
  RecordedLoops loops(rerolling, recorder);
  RangeWatch ranges;
  const auto add = [&](const at::Tensor& tensor, const std::string& name) {
    recorder.add_input(tensor, name);
    ranges.add_input(tensor, out.graph.inputs.size() - 1);
    return out.graph.inputs.back();
  };
  for (size_t i = 0; i < bound.tensors.size(); ++i) add(bound.tensors[i], bound.names[i]);
  std::vector<std::string> paths;
  for (const Attempt::Candidate& candidate : attempt.candidates) paths.push_back(candidate.path);
  const std::vector<std::string> state_inputs = state_names(paths, bound.names);
  for (size_t i = 0; i < paths.size(); ++i) {
    Attempt::Candidate& candidate = attempt.candidates[i];
    candidate.name = state_inputs[i];
    candidate.input = add(samples.states.at(candidate.path), candidate.name);
  }
  const Recording recording{recorder, loops, attempt.needs_padding};
  Interpreter interpreter(out.graph, names, *loaded_.sources, options, &recording, &ranges, watch);
  bind_modules(interpreter, names, out.graph, options);
  const c10::IValue result = interpreter.run(loaded_.module, method_, bound.arguments);
  const std::vector<FlatOutput> outputs = flatten_outputs(result);
  for (const FlatOutput& output : outputs) {
    out.graph.outputs.push_back(recorder.value(output.tensor, {}));
    out.outputs.push_back(copy(output.tensor));
  }
  attempt.results = outputs;
  for (FlatOutput& output : attempt.results) output.tensor.reset();  // keeps the names only
  out.ranges = ranges.ranges(out.graph.inputs.size());
  out.decisions = interpreter.decisions();
  out.padded = options.padded;
  if (!watch.wrote()) return;
  const std::vector<Attribute> after = list_attributes(model());
  std::vector<at::Tensor> dependent;
  for (const Attribute& attribute : after)
    for (const ModelValue& leaf : attribute.leaves)
      if (leaf.value.isTensor() && leaf.value.toTensor().defined() &&
          is_data(recorder.mark(leaf.value.toTensor()))) {
        attempt.dependent.insert(leaf.path);
        dependent.push_back(leaf.value.toTensor());
      }
  watch.forget_unchanged_writes(dependent);
  for (Attempt::Candidate& candidate : attempt.candidates) {
    const at::Tensor tensor = tensor_at(after, candidate.path);
    if (!tensor.defined()) continue;
    candidate.next = recorder.value(tensor, {});
    candidate.value = copy(tensor);
  }
  out.decisions = interpreter.decisions();
}

Session::Attempt Session::attempt(const Split& samples, TraceOptions options) {
  for (;;) {
    Attempt out = attempt_once(samples, options);
    if (out.needs_padding.empty()) return out;
    options.padded.merge(out.needs_padding);
  }
}

Session::Attempt Session::attempt_once(const Split& samples, const TraceOptions& options) {
  Attempt out;
  const Split copies{samples.arguments, cloned(samples.states)};
  Undo replaced;
  replace_leaves(model(), copies.states, replaced);
  StateWatch watch(model());
  if (!samples.states.empty())  // in the model's order
    for (const Attribute& attribute : list_attributes(model()))
      for (const ModelValue& leaf : attribute.leaves)
        if (samples.states.contains(leaf.path))
          out.candidates.push_back({.path = leaf.path,
                                    .name = {},
                                    .initial = samples.states.at(leaf.path),
                                    .input = ir::kNoValue,
                                    .next = ir::kNoValue,
                                    .value = {},
                                    .shared_with = {}});
  try {
    run_recorded(copies, options, watch, out);
  } catch (const Error& error) {
    out.error = error;
  }
  if (watch.wrote()) {
    const std::vector<Attribute> after = list_attributes(model());
    const std::vector<Location> constants = watch.changed_constants();
    watch.undo();
    out.changes = find_changes(list_attributes(model()), after, watch, options.free_axes);
    for (const Location location : constants) out.changes.push_back(constant_change(location));
  }
  watch.undo();
  replaced.run();
  restore();
  if (!out.candidates.empty()) {
    const std::vector<Attribute> attributes = list_attributes(model());
    for (Attempt::Candidate& candidate : out.candidates)
      candidate.shared_with = shares_memory(attributes, candidate.path);
  }
  return out;
}

/// Makes changed tensors states of the next attempt. Returns whether any is new.
bool Session::adopt_changes(const Attempt& attempt, Split& samples) {
  bool grew = false;
  for (const Change& change : attempt.changes)
    if (change.before.defined())
      grew = samples.states.emplace(change.path, change.before.clone()).second || grew;
  return grew;
}

Traced Session::trace(const std::vector<SampleInput>& inputs, const TraceOptions& options) {
  const c10::InferenceMode guard;
  require_lines(loaded_, options);
  limit_memory(inputs);
  WarningRelay relay(options.report);
  const c10::WarningUtils::WarningHandlerGuard warnings(&relay);
  Split samples = split(inputs, options.explicit_states);
  const Tensors by_user = samples.states;
  std::optional<Error> first_error;
  for (bool is_first = true;; is_first = false) {
    Attempt current = attempt(samples, options);
    if (!adopt_changes(current, samples)) {
      // An error that occurs only since state is no longer constant is caused by the state.
      const bool failed_before =
          current.error && first_error &&
          is_same_failure(current.error->diagnostic(), first_error->diagnostic());
      if (current.error && !options.explicit_states && !is_first && !failed_before &&
          !current.changes.empty())
        refuse_changes(current.changes, current.traced.graph);
      if (current.error) throw Error(*current.error);
      return finish(std::move(current), samples, by_user, options);
    }
    if (current.error) first_error = current.error;
  }
}

/// Whether a second call changes nothing and returns the same results. Then the changes of the
/// first call are not state but a lazily filled table, independent of the inputs.
bool Session::is_unchanged_by_second_call(const Split& samples) {
  try {
    Undo replaced;
    replace_leaves(model(), cloned(samples.states), replaced);
    StateWatch first(model());
    const std::vector<ir::Tensor> once = run_plain(samples.arguments, first);
    Undo again;
    replace_leaves(model(), cloned(samples.states), again);
    StateWatch second(model());
    const std::vector<ir::Tensor> twice = run_plain(samples.arguments, second);
    const std::vector<Attribute> after = list_attributes(model());
    second.undo();
    const std::vector<Change> changes = find_changes(list_attributes(model()), after, second, {});
    return once.size() == twice.size() &&
           std::equal(once.begin(), once.end(), twice.begin(), ir::same_values) &&
           std::all_of(changes.begin(), changes.end(), [](const Change& change) {
             return change.before.defined() || !change.could_be_seen;
           });
  } catch (const Error&) {
    return false;
  }
}

/// Classifies the changes: states, refused ones, and those that no later call can read.
Session::ClassifiedChanges Session::classify(Attempt& attempt, const Split& samples,
                                             bool explicit_states) {
  ClassifiedChanges out;
  const auto decide = [&](const Change& change, bool is_live) {
    if (is_live && (!explicit_states || !change.reason.empty())) out.refused.push_back(change);
    if (!is_live && !change.was_read) out.unread.push_back(change);
  };
  std::optional<bool> is_unchanged;  // takes two runs, so only before a refusal
  const auto is_lazy_table = [&](const Change& change) {
    if (change.from_data || is_dependent(attempt.dependent, change.path)) return false;
    if (!is_unchanged) is_unchanged = is_unchanged_by_second_call(samples);
    return *is_unchanged;
  };
  std::map<std::string, Change> by_path;
  for (const Change& change : attempt.changes) {
    by_path[change.path] = change;
    if (!change.before.defined()) decide(change, change.could_be_seen && !is_lazy_table(change));
  }
  std::vector<Attempt::Candidate> changed;
  std::vector<ir::ValueId> inputs;
  std::vector<ir::ValueId> nexts;
  for (Attempt::Candidate& candidate : attempt.candidates) {
    if (!by_path.contains(candidate.path) || candidate.next == ir::kNoValue) {
      out.dropped.push_back(std::move(candidate));
      continue;
    }
    inputs.push_back(candidate.input);
    nexts.push_back(candidate.next);
    changed.push_back(std::move(candidate));
  }
  const std::set<size_t> live = live_states(attempt.traced.graph, inputs, nexts);
  for (size_t i = 0; i < changed.size(); ++i) {
    Change& change = by_path.at(changed[i].path);
    if (change.in_place && change.reason.empty() && !changed[i].shared_with.empty()) {
      change.reason = cat("it shares its memory with ", quoted(changed[i].shared_with));
      change.remedy = "clone() one of them before the model is saved";
    }
    decide(change, live.contains(i));
    (live.contains(i) ? out.states : out.dropped).push_back(std::move(changed[i]));
  }
  return out;
}

Traced Session::finish(Attempt attempt, const Split& samples, const Tensors& by_user,
                       const TraceOptions& options) {
  Traced& out = attempt.traced;
  ir::Graph& graph = out.graph;
  require_observed(model(), graph);
  ClassifiedChanges changes = classify(attempt, samples, options.explicit_states);
  if (!changes.refused.empty() && !options.explicit_states) refuse_changes(changes.refused, graph);
  if (!changes.refused.empty()) refuse_explicit(changes.refused, graph);
  note_unread(changes.unread, graph, options.report);
  for (const Attempt::Candidate& candidate : changes.dropped) {
    if (by_user.contains(candidate.path))
      throw Error(
          "input-unknown", cat("the model has no input ", quoted(candidate.name)),
          cat("no call of forward reads what an earlier call stored in ", quoted(candidate.path)),
          {}, candidate.name);
    out.ranges.erase(out.ranges.begin() + index_of(graph.inputs, candidate.input));
    make_constant(graph, candidate.input, candidate.path, candidate.initial);
  }
  const std::vector<Attribute> attributes = list_attributes(model());
  for (Attempt::Candidate& candidate : changes.states) {
    const at::Tensor own = tensor_at(attributes, candidate.path);
    attempt.results.push_back({candidate.name + "_next", {}});
    out.states.push_back({candidate.path, candidate.name,
                          static_cast<size_t>(index_of(graph.inputs, candidate.input)),
                          graph.outputs.size(), copy(candidate.initial),
                          own.defined() ? std::optional(copy(own)) : std::nullopt});
    graph.outputs.push_back(candidate.next);
    out.outputs.push_back(std::move(candidate.value));
  }
  graph.output_names = output_names(graph, attempt.results);
  if (!options.rerolled_loops.empty()) loops::finish_loops(graph, symbols_in(out.decisions));
  states_ = out.states;
  return std::move(out);
}

}  // namespace t2n::trace
