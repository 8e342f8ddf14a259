// SPDX-License-Identifier: Apache-2.0
// Keeps only the outputs of the last graph that ran.
#include "src/export/pass_steps.h"

#include <algorithm>

#include "ir/op_traits.h"
#include "src/diag/error.h"
#include "src/diag/headline.h"
#include "src/export/pass_table.h"
#include "src/passes/passes.h"

namespace t2n {
namespace {

using Outputs = std::vector<ir::Tensor>;

/// Outputs that depend on random numbers, by index.
std::vector<bool> random_outputs(const ir::Graph& graph) {
  const std::function<bool(const ir::Graph&)> draws = [&](const ir::Graph& body) {
    return std::any_of(body.nodes.begin(), body.nodes.end(), [&](const ir::Node& node) {
      return ir::is_unpredictable(node.op) || (node.body && draws(*node.body));
    });
  };
  std::vector<bool> random(graph.values.size(), false);
  for (const ir::Node& node : graph.nodes) {
    bool is_random = ir::is_unpredictable(node.op) || (node.body && draws(*node.body));
    ir::for_each_input(node, [&](ir::ValueId id) { is_random = is_random || random[id]; });
    for (const ir::ValueId id : node.outputs) random[id] = is_random;
  }
  std::vector<bool> out;
  for (const ir::ValueId id : graph.outputs) out.push_back(random[id]);
  return out;
}

/// The results of a graph, or the reason why it cannot run.
struct Outcome {
  Outputs outputs;
  std::string refused;
};

Outcome run(const ir::Graph& graph, const GraphInputs& set, const ir::Evaluator& evaluate) {
  try {
    ir::Graph sized = passes::at_sizes(graph, {});
    passes::run_pipeline(sized, {"expand-quantised"}, {});  // torch has no kernels for these
    Outputs inputs;
    for (size_t i = 0; i < set.tensors.size(); ++i) {
      const ir::Value& value = sized.values[sized.inputs.at(i)];
      inputs.push_back(ir::is_complex(value.dtype) ? set.tensors[i] : ir::as_pairs(set.tensors[i]));
    }
    return {ir::run_graph(sized, inputs, evaluate), {}};
  } catch (const Error& error) {
    const std::string& id = error.diagnostic().id;
    if (id == "memory-limit" || id == "timeout" || id == "ir-invalid") throw;
    return {{}, headline(error.diagnostic())};
  }
}

/// The reference results for one set of inputs.
struct Reference {
  size_t set = 0;
  Outcome outcome;
  bool has_run = false;  ///< a graph has run: all later ones must run
};

/// Whether `a` is worse than `b`.
bool deviates_more(const check::Deviation& a, const check::Deviation& b) {
  if (a.mismatch.empty() != b.mismatch.empty()) return !a.mismatch.empty();
  if (a.verdict != b.verdict) return a.verdict == check::Verdict::differs;
  return a.snr_db < b.snr_db;
}

class Stepper {
 public:
  Stepper(ir::Graph& graph, const passes::PassContext& context, const StepOptions& options)
      : graph_(graph),
        context_(context),
        options_(options),
        names_(graph.output_names),
        random_(random_outputs(graph)) {}

  PassSteps run(const std::vector<passes::PassInfo>& pipeline) {
    ir::verify(graph_, "trace");
    start();
    for (const passes::PassInfo& pass : pipeline) {
      step(pass);
      if (out_.steps.back().fault && !options_.against_first) break;
    }
    return std::move(out_);
  }

 private:
  void start() {
    for (size_t i = 0; i < names_.size(); ++i)
      if (random_[i] && !options_.sets.empty()) out_.random.push_back(names_[i]);
    for (size_t i = 0; i < options_.sets.size(); ++i) {
      Outcome first = t2n::run(graph_, options_.sets[i], context_.evaluate);
      const bool has_run = first.refused.empty();
      if (!has_run && i == 0) out_.refused = first.refused;
      if (!has_run && options_.model) {
        first = run_model(i);
        out_.uses_model = out_.uses_model || first.refused.empty();
      }
      if (!first.refused.empty() && i > 0)
        out_.left_out.push_back(options_.sets[i].name);
      else
        references_.push_back({i, std::move(first), has_run});
    }
    out_.sets = references_.size();
  }

  Outcome run_model(size_t set) const {
    try {
      return {options_.model(set), {}};
    } catch (const Error& error) {
      if (error.diagnostic().id != "forward-failed") throw;
      return {{}, error.diagnostic().message};
    }
  }

  void step(const passes::PassInfo& pass) {
    PassStep& out = out_.steps.emplace_back();
    out.pass = pass;
    passes::PipelineOptions passes = options_.passes;
    passes.time = [&](std::string_view name, double seconds) {
      out.seconds = seconds;
      if (options_.passes.time) options_.passes.time(name, seconds);
    };
    out.changed = passes::run_pass(pass, graph_, context_, passes);
    if (!out.changed) return;
    for (Reference& reference : references_) {
      const GraphInputs& set = options_.sets[reference.set];
      Outcome now = t2n::run(graph_, set, context_.evaluate);
      compare(out, set.name, reference, now);
      if (!now.refused.empty()) {
        out.unknown = now.refused;
        continue;
      }
      reference.has_run = true;
      if (!options_.against_first || !reference.outcome.refused.empty())
        reference.outcome = std::move(now);
    }
  }

  /// The tolerance for a pass; passes that only move values must keep every bit.
  check::Tolerance tolerance_for(const passes::PassInfo& pass) const {
    const bool is_exact = pass.effect == passes::Effect::none && !options_.against_first;
    return is_exact ? check::Tolerance{.level = check::Level::exact, .custom = {}}
                    : options_.tolerance;
  }

  bool may_change(const passes::PassInfo& pass) const {
    return pass.effect == passes::Effect::changes && !options_.against_first;
  }

  void compare(PassStep& out, const std::string& set, const Reference& reference,
               const Outcome& now) {
    if (!now.refused.empty()) {
      if (reference.has_run && !may_change(out.pass) && !out.fault)
        out.fault = cat("the graph cannot run any more: ", now.refused);
      return;
    }
    const Outcome& before = reference.outcome;
    if (!before.refused.empty()) return;
    T2N_ASSERT(before.outputs.size() == now.outputs.size(), "a pass changed the outputs");
    size_t row = 0;
    for (size_t i = 0; i < now.outputs.size(); ++i) {
      if (random_[i]) continue;
      const check::Deviation comparison = check::compare(
          comparable(before.outputs[i]), comparable(now.outputs[i]), tolerance_for(out.pass));
      if (comparison.verdict == check::Verdict::differs && !may_change(out.pass) && !out.fault)
        out.fault = cat(check::mismatch_text(names_[i], comparison), " on ", set);
      if (row == out.outputs.size()) {
        out.outputs.push_back({names_[i], comparison, set});
      } else if (deviates_more(comparison, out.outputs[row].comparison)) {
        out.outputs[row] = {names_[i], comparison, set};
      }
      ++row;
    }
  }

  static ir::Tensor comparable(const ir::Tensor& tensor) { return ir::as_pairs(tensor); }

  ir::Graph& graph_;
  const passes::PassContext& context_;
  const StepOptions& options_;
  std::vector<std::string> names_;
  std::vector<bool> random_;  ///< by output
  std::vector<Reference> references_;
  PassSteps out_;
};

}  // namespace

const PassStep* PassSteps::faulty() const {
  const auto found = std::find_if(steps.begin(), steps.end(),
                                  [](const PassStep& step) { return step.fault.has_value(); });
  return found == steps.end() ? nullptr : &*found;
}

PassSteps run_steps(ir::Graph& graph, const std::vector<passes::PassInfo>& pipeline,
                    const passes::PassContext& context, const StepOptions& options) {
  return Stepper(graph, context, options).run(pipeline);
}

Error fault_error(const PassStep& step, bool against_first) {
  const bool changes = step.pass.effect == passes::Effect::changes;
  const std::string name = quoted(step.pass.name);
  if (against_first)
    return {"pass-changed-values",
            cat(name, " is the first pass after which an output exceeds the tolerance: ",
                step.fault.value_or("")),
            changes ? cat("it changes ", step.pass.changes)
                    : "the pass must not change what the graph computes",
            changes ? "use a looser level, or exclude parts of the model from it"
                    : "disable the pass, and please report it with the model"};
  return {"pass-changed-values",
          cat(name, " changed what the graph computes: ", step.fault.value_or("")),
          step.pass.effect == passes::Effect::none
              ? "the pass must keep every bit"
              : "the pass must keep values, except for rounding",
          "disable the pass, and please report it with the model"};
}

}  // namespace t2n
