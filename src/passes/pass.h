// Passes: free functions over a graph, named in one table and run by name in pipelines.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/passes/context.h"

namespace t2n::passes {

/// Returns true if the graph changed; the graph remains valid.
using Pass = bool (*)(ir::Graph&, const PassContext&);

/// Turns the loops that the trace recorded into `t2n::scan` (src/loops/roll_loops.cpp).
bool roll_loops(ir::Graph& graph, const PassContext& context);
/// Replaces symbols in shapes and arguments by their values in the attribute `sample_sizes`.
bool bind_sizes(ir::Graph& graph, const PassContext& context);
/// Removes operations and constants that no output needs, random ones included; graph inputs stay.
bool dead_code(ir::Graph& graph, const PassContext& context);
/// Evaluates operations on constants unless the result is larger than the operands it replaces.
bool fold_constants(ir::Graph& graph, const PassContext& context);
/// Replaces quantised tensors by their integers minus the zero point, and operations on them.
bool expand_quantised(ir::Graph& graph, const PassContext& context);
/// Replaces packed sequences by padded ones, and layers over them by `t2n::lstm.padded` etc.
bool expand_packed(ir::Graph& graph, const PassContext& context);
/// Turns fused attention layers into linear layers, products and norms.
bool expand_attention(ir::Graph& graph, const PassContext& context);
/// Unrolls `t2n::scan` if the target has no loops and the number of iterations is known and small
/// enough (src/limits/unrolled.h); other scans stay.
bool unroll_scans(ir::Graph& graph, const PassContext& context);
/// Folds batch norms with constant statistics into the convolution or linear layer that feeds them.
bool fold_batch_norm(ir::Graph& graph, const PassContext& context);
/// Makes the largest weights of each channel equal in layers with a ReLU or a pooling between them.
bool equalise(ir::Graph& graph, const PassContext& context);
/// Stores the results of constant quantisers as 8-bit integers, if they are integer-valued.
bool recognise_quantisation(ir::Graph& graph, const PassContext& context);
/// Replaces complex tensors by real ones with a last axis of two, and transforms by `t2n::fft_…`.
bool complex_to_pairs(ir::Graph& graph, const PassContext& context);
/// Replaces formulas of silu, gelu, hardswish and rms_norm by the single operation.
bool canonical_activations(ir::Graph& graph, const PassContext& context);
/// Replaces x * cos + rotate_half(x) * sin by t2n::apply_rope, if the target has it.
bool canonical_rope(ir::Graph& graph, const PassContext& context);
/// Makes torch's implicit dtype promotion explicit as `t2n::cast` operations.
bool explicit_promotion(ir::Graph& graph, const PassContext& context);
/// Moves constants of loop bodies to the outer graph. This and the following passes: src/compress.
bool lift_weights(ir::Graph& graph, const PassContext& context);
/// Sets small weights to zero.
bool prune_weights(ir::Graph& graph, const PassContext& context);
/// Inserts observers where settings request quantisers.
bool insert_observers(ir::Graph& graph, const PassContext& context);
/// Inserts pruning masks and observers together, so that contradictions are found.
bool insert_compression(ir::Graph& graph, const PassContext& context);
/// Computes the observers' scales and zero points from recorded ranges or a calibration.
bool calculate_qparams(ir::Graph& graph, const PassContext& context);
/// Rounds weights with their observers' scales so that results over a calibration set change least.
bool compensate_rounding(ir::Graph& graph, const PassContext& context);
/// Packs weights into 4-bit blocks where settings request it; without settings, all of them.
bool quantise_q4_0(ir::Graph& graph, const PassContext& context);
/// Replaces observers by fake quantisation, and fake-quantised constants by integers.
bool insert_fake_quant(ir::Graph& graph, const PassContext& context);
bool quantise_constants(ir::Graph& graph, const PassContext& context);
/// Subtracts the mean error of quantised weights from biases.
bool correct_bias(ir::Graph& graph, const PassContext& context);
/// Replaces fake-quantised activations by integers.
bool expand_fake_quant(ir::Graph& graph, const PassContext& context);
/// Applies data movement to integers instead of floats.
bool propagate_qparams(ir::Graph& graph, const PassContext& context);
/// Replaces layers between quantised tensors by torch's quantised layers.
bool fuse_quantised(ir::Graph& graph, const PassContext& context);
/// Changes nothing, and reports unusual quantisation.
bool lint_quantisation(ir::Graph& graph, const PassContext& context);

/// The effect of a pass on the values that the graph computes.
enum class Effect {
  none,       ///< the same operations on the same operands, bit for bit
  preserves,  ///< equal values except for rounding
  changes,    ///< values change: PassInfo::changes describes them
};

struct PassInfo {
  std::string_view name;
  std::string_view doc;
  Pass run;
  Effect effect = Effect::preserves;
  std::string_view changes = {};  ///< "weights, to what 8 bits can hold"; for Effect::changes
  std::string_view needs = {};    ///< what it requires: "an evaluator"
  bool descends = true;           ///< runs in the nested graphs of loops as well
};

/// All passes, in the order in which the default pipeline first runs them.
const std::vector<PassInfo>& passes();
/// The passes that `export` runs.
const std::vector<std::string>& default_pipeline();
/// The passes without which graphs have no translation, or a much larger one.
const std::vector<std::string>& translation_pipeline();
/// The passes with these names.   Errors: `usage`, with a suggestion.
std::vector<PassInfo> find_passes(const std::vector<std::string>& names);

struct PipelineOptions {
  bool is_disabled(std::string_view pass) const;
  std::vector<std::string> disabled;  ///< names of disabled passes
  std::string print_after;            ///< the name of a pass, "all", or nothing
  bool print_changed = false;         ///< print after each pass that changed something
  std::function<void(const std::string& text)> print;
  std::function<void(std::string_view pass, double seconds)> time;
};

/// Runs one pass, also in nested graphs, and verifies. True: it changed. Errors: `ir-invalid`.
bool run_pass(const PassInfo& pass, ir::Graph& graph, const PassContext& context,
              const PipelineOptions& options = {});

/// Runs passes by name, also in nested graphs; verifies the graph before the first and after each.
/// Returns true if one changed it.   Errors: `usage` for unknown names, `ir-invalid`.
bool run_pipeline(ir::Graph& graph, const std::vector<std::string>& names,
                  const PassContext& context, const PipelineOptions& options = {});

}  // namespace t2n::passes
