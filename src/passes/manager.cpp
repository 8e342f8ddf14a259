// The table of passes, the default order, and the loop that runs, verifies, times and prints.
#include <algorithm>
#include <chrono>

#include "ir/loop_notes.h"
#include "src/passes/integer_products.h"
#include "src/passes/pass.h"

namespace t2n::passes {
namespace {

const PassInfo& find_pass(std::string_view name) {
  for (const PassInfo& info : passes())
    if (info.name == name) return info;
  std::vector<std::string> names;
  for (const PassInfo& info : passes()) names.emplace_back(info.name);
  const std::string near = nearest(name, names);
  throw Error("usage", cat("there is no pass called ", quoted(name)), {},
              near.empty() ? "`t2nnef opt --list` shows all passes"
                           : cat("did you mean ", quoted(near), "?"));
}

bool run_deep(Pass pass, ir::Graph& graph, const PassContext& context);

/// Runs the pass on a copy of an operation's nested graph: other graphs may share the original.
bool run_in_body(Pass pass, const ir::Graph& graph, ir::Node& node, const PassContext& context) {
  auto body = std::make_shared<ir::Graph>(*node.body);
  if (const auto sizes = graph.attributes.find(ir::kSampleSizes); sizes != graph.attributes.end())
    body->attributes.insert(*sizes);  // bodies share the graph's symbols
  PassContext inside = context;
  inside.in_body = true;
  if (!run_deep(pass, *body, inside)) return false;
  node.body = std::move(body);
  return true;
}

bool run_deep(Pass pass, ir::Graph& graph, const PassContext& context) {
  bool changed = false;
  for (ir::Node& node : graph.nodes)
    if (node.body) changed |= run_in_body(pass, graph, node, context);
  return pass(graph, context) || changed;
}

bool is_printed(const PassInfo& info, bool changed, const PipelineOptions& options) {
  return options.print && (options.print_after == "all" || options.print_after == info.name ||
                           (options.print_changed && changed));
}

}  // namespace

const std::vector<PassInfo>& passes() {
  constexpr std::string_view kEvaluator = "an evaluator";
  static const std::vector<PassInfo> table = {
      {"roll-loops", "turns recorded loops into scans", roll_loops, Effect::preserves, "",
       "loops that the trace records with --passes roll-loops"},
      {"expand-packed", "replaces packed sequences by padded ones with lengths", expand_packed},
      {"expand-quantised", "replaces quantised tensors by plain operations", expand_quantised},
      {"expand-attention", "replaces fused attention by linear layers, attention and norms",
       expand_attention},
      {"bind-sizes", "replaces symbolic sizes by those of the sample inputs", bind_sizes,
       Effect::none},
      {"dead-code", "removes what no output needs", dead_code, Effect::none},
      {"unroll-scans", "unrolls scans for targets without loops", unroll_scans},
      {"fold-batch-norm", "folds batch norms into the preceding layers", fold_batch_norm},
      {"equalise", "equalises channel ranges of weights across a ReLU", equalise},
      {"recognise-quantisation", "stores the results of constant quantisers as integers",
       recognise_quantisation, Effect::preserves, "", kEvaluator},
      {"fold-constants", "evaluates operations on constants unless the result is larger",
       fold_constants, Effect::preserves, "", kEvaluator},
      {"complex-to-pairs", "replaces complex tensors by real ones with a last axis of two",
       complex_to_pairs},
      {"canonical-activations", "recognises formulas of silu, gelu, hardswish and rms_norm",
       canonical_activations},
      {"canonical-rope", "recognises rotary position embeddings", canonical_rope},
      {"integer-products", "computes linear layers on integers where the target is faster",
       integer_products, Effect::preserves, "", "a target that is faster with integers"},
      {"explicit-promotion", "makes implicit changes of dtype explicit", explicit_promotion,
       Effect::preserves, "", "the table of translations"},
      {"lift-weights", "moves weights out of loop bodies", lift_weights, Effect::none},
      {"prune-weights", "sets small weights to zero where settings request it", prune_weights,
       Effect::changes, "small weights, to zeros", "settings", false},
      {"insert-observers", "inserts observers where settings request quantisers", insert_observers,
       Effect::changes, "16-bit weights, by rounding", "settings", false},
      {"insert-compression", "inserts the pruning masks and observers that settings request",
       insert_compression, Effect::changes, "small weights and 16-bit weights", "settings", false},
      {"calculate-qparams", "computes the observers' scales and zero points", calculate_qparams,
       Effect::none, "", "a calibration set, for activations", false},
      {"compensate-rounding", "rounds weights with GPTQ where settings request it",
       compensate_rounding, Effect::changes, "weights, by rounding",
       "settings and a calibration set", false},
      {"quantise-q4_0", "packs weights into 4-bit blocks with a scale", quantise_q4_0,
       Effect::changes, "weights, by rounding to 4 bits", "", false},
      {"insert-fake-quant", "replaces observers by fake quantisation", insert_fake_quant,
       Effect::changes, "observed values, by rounding",
       "observers with scales, from calculate-qparams"},
      {"correct-bias", "corrects biases for the mean quantisation error", correct_bias,
       Effect::changes, "biases, by mean errors", "settings and a calibration set", false},
      {"quantise-constants", "stores fake-quantised constants as integers", quantise_constants},
      {"expand-fake-quant", "replaces fake-quantised activations by integers", expand_fake_quant,
       Effect::changes, "activations at ties, by one quantisation step"},
      {"propagate-qparams", "applies data movement to integers instead of floats",
       propagate_qparams},
      {"fuse-quantised", "fuses layers between quantised tensors into quantised layers",
       fuse_quantised, Effect::changes, "results of layers near ties, by one quantisation step"},
      {"lint-quantisation", "changes nothing; warns about unusual quantisation", lint_quantisation,
       Effect::none, "", "", false}};
  return table;
}

const std::vector<std::string>& default_pipeline() {
  // Loops come first, since their notes count nodes as recorded. Sizes come before the rest, since
  // folding needs plain arguments. Dead code comes before iterations are copied, and before
  // folding, which would compute it. Quantisers are found while their formulas exist. Formulas of
  // activations are found after folding (their literals may be computed) and before promotion (its
  // casts would interrupt them). Promotion leaves casts of constants, which a second round folds.
  // Dead code need not run again, since every pass removes the operations that it makes dead.
  // Complex numbers are folded before they become pairs, whose dtypes need no promotion.
  static const std::vector<std::string> names = {
      "roll-loops",         "expand-packed",         "expand-quantised",       "bind-sizes",
      "dead-code",          "unroll-scans",          "recognise-quantisation", "fold-constants",
      "complex-to-pairs",   "canonical-activations", "canonical-rope",         "integer-products",
      "explicit-promotion", "fold-constants"};
  return names;
}

const std::vector<std::string>& translation_pipeline() {
  // Folding makes operands constant, as translations require. Quantised weights are recognised
  // before it, since it would turn them into floats.
  static const std::vector<std::string> names = {
      "expand-packed",      "expand-quantised",       "bind-sizes",     "dead-code",
      "unroll-scans",       "recognise-quantisation", "fold-constants", "complex-to-pairs",
      "explicit-promotion", "fold-constants"};
  return names;
}

std::vector<PassInfo> find_passes(const std::vector<std::string>& names) {
  std::vector<PassInfo> out;
  out.reserve(names.size());
  for (const std::string& name : names) out.push_back(find_pass(name));
  return out;
}

bool PipelineOptions::is_disabled(std::string_view pass) const {
  return std::find(disabled.begin(), disabled.end(), pass) != disabled.end();
}

bool run_pass(const PassInfo& pass, ir::Graph& graph, const PassContext& context,
              const PipelineOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  const bool changed =
      pass.descends ? run_deep(pass.run, graph, context) : pass.run(graph, context);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  if (changed) graph.attributes.erase(ir::kUnrolledLoops);  // they count nodes
  if (options.time) options.time(pass.name, seconds.count());
  ir::verify(graph, pass.name);
  if (is_printed(pass, changed, options))
    options.print(
        cat("# after ", pass.name, changed ? "" : " (unchanged)", "\n", ir::print(graph)));
  return changed;
}

bool run_pipeline(ir::Graph& graph, const std::vector<std::string>& names,
                  const PassContext& context, const PipelineOptions& options) {
  for (const std::string& name : options.disabled) find_pass(name);
  if (!options.print_after.empty() && options.print_after != "all") find_pass(options.print_after);
  const std::vector<PassInfo> pipeline = find_passes(names);
  ir::verify(graph, "trace");
  bool changed = false;
  for (const PassInfo& info : pipeline)
    if (!options.is_disabled(info.name)) changed |= run_pass(info, graph, context, options);
  return changed;
}

}  // namespace t2n::passes
