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
    body->attributes.insert(*sizes);  // symbols mean the same inside
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
      {"roll-loops", "makes scans of the loops that the trace has noted", roll_loops,
       Effect::preserves, "", "notes of loops, as --passes roll-loops asks the trace for"},
      {"expand-packed", "replaces packed sequences by padded ones with lengths", expand_packed},
      {"expand-quantised", "writes quantised tensors as plain operations", expand_quantised},
      {"expand-attention", "replaces fused attention by the layers that make it", expand_attention},
      {"bind-sizes", "replaces symbolic sizes by those of the sample inputs", bind_sizes,
       Effect::moves},
      {"dead-code", "removes what no output needs", dead_code, Effect::moves},
      {"unroll-scans", "writes scans out for targets without loops", unroll_scans},
      {"fold-batch-norm", "computes batch norms into the layers that feed them", fold_batch_norm},
      {"equalise", "makes weights of channels equally large in layers with a ReLU between them",
       equalise},
      {"recognise-quantisation", "stores weights behind quantisers as integers",
       recognise_quantisation, Effect::preserves, "", kEvaluator},
      {"fold-constants", "evaluates operations on constants where that does not enlarge",
       fold_constants, Effect::preserves, "", kEvaluator},
      {"complex-to-pairs", "makes complex tensors real ones with a last axis of two",
       complex_to_pairs},
      {"canonical-activations", "finds written-out silu, gelu, hardswish and rms_norm",
       canonical_activations},
      {"canonical-rope", "finds rotary position embeddings", canonical_rope},
      {"integer-products", "sums products of whole numbers as integers where the target is faster",
       integer_products, Effect::preserves, "", "a target that is faster with them"},
      {"explicit-promotion", "makes implicit changes of dtype explicit", explicit_promotion,
       Effect::preserves, "", "the table of translations"},
      {"lift-weights", "takes matrices out of the bodies of loops", lift_weights, Effect::moves},
      {"prune-weights", "sets small weights to zero where settings ask for it", prune_weights,
       Effect::changes, "small weights, to zeros", "settings", false},
      {"insert-observers", "puts observers where settings ask for quantisers", insert_observers,
       Effect::changes, "weights of 16 bits, to what these can hold", "settings", false},
      {"insert-compression", "inserts all that settings ask for, zeros and observers",
       insert_compression, Effect::changes, "small weights, and those of 16 bits", "settings",
       false},
      {"calculate-qparams", "gives observers scales and zero points", calculate_qparams,
       Effect::moves, "", "a calibration set, for activations", false},
      {"compensate-rounding",
       "rounds weights by what they are multiplied with, where settings ask for it (gptq)",
       compensate_rounding, Effect::changes, "weights, to neighbours on their grids",
       "settings and a calibration set", false},
      {"quantise-q4_0", "packs weights into blocks of 4 bits and a scale", quantise_q4_0,
       Effect::changes, "weights, to what 4 bits can hold", "", false},
      {"insert-fake-quant", "makes fake quantisation of observers", insert_fake_quant,
       Effect::changes, "what is observed, to the integers of its grid",
       "observers with scales, of calculate-qparams"},
      {"correct-bias", "takes off biases what rounded weights are off by on average", correct_bias,
       Effect::changes, "biases, by mean errors", "settings and a calibration set", false},
      {"quantise-constants", "makes integers of constants that are fake quantised",
       quantise_constants},
      {"expand-fake-quant", "makes integers of activations that are fake quantised",
       expand_fake_quant, Effect::changes, "activations at ties, by a step"},
      {"propagate-qparams", "lets operations that move elements move integers", propagate_qparams},
      {"fuse-quantised", "makes quantised layers of layers between quantised tensors",
       fuse_quantised, Effect::changes, "results of layers near ties, by a step"},
      {"lint-quantisation", "changes nothing; warns of what is odd about quantisation",
       lint_quantisation, Effect::moves, "", "", false}};
  return table;
}

const std::vector<std::string>& default_pipeline() {
  // Loops come first, since their notes count nodes as recorded. Sizes come before the rest, since
  // folding needs plain arguments. Dead code comes before iterations are copied, and before
  // folding, which would compute it. Quantisers are found while their formulas exist. Formulas of
  // activations are found after folding (their literals may be computed) and before promotion (its
  // casts would interrupt them). Promotion leaves casts of constants, which a second round folds.
  // Dead code need not run again: every pass removes what it makes superfluous. Complex numbers are
  // folded before they become pairs, whose dtypes need no promotion.
  static const std::vector<std::string> names = {
      "roll-loops",         "expand-packed",         "expand-quantised",       "bind-sizes",
      "dead-code",          "unroll-scans",          "recognise-quantisation", "fold-constants",
      "complex-to-pairs",   "canonical-activations", "canonical-rope",         "integer-products",
      "explicit-promotion", "fold-constants"};
  return names;
}

const std::vector<std::string>& translation_pipeline() {
  // Folding makes constants of operands that translations need as constants. Before it, weights
  // behind quantisers are found, which it would turn into floats.
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

bool PipelineOptions::leaves_out(std::string_view pass) const {
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
    if (!options.leaves_out(info.name)) changed |= run_pass(info, graph, context, options);
  return changed;
}

}  // namespace t2n::passes
