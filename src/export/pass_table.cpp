// SPDX-License-Identifier: Apache-2.0
#include "src/export/pass_table.h"

#include <algorithm>

#include "src/complex/passes.h"
#include "src/compress/passes.h"
#include "src/diag/error.h"
#include "src/loops/passes.h"
#include "src/passes/passes.h"
#include "src/quant/passes.h"

namespace t2n::passes {
namespace {

using Names = std::vector<std::string>;

/// Inserts passes after those that the standard pipeline runs before them.
void insert_in_order(std::vector<PassInfo>& table, const std::vector<PassInfo>& rows) {
  const Names& order = pipeline(Pipeline::standard);
  for (const PassInfo& row : rows) {
    const auto at = std::find(order.begin(), order.end(), row.name);
    T2N_ASSERT(at != order.end(), row.name, " is not in the standard pipeline");
    const auto previous = std::find_if(table.begin(), table.end(), [&](const PassInfo& each) {
      return at != order.begin() && each.name == *std::prev(at);
    });
    T2N_ASSERT(at == order.begin() || previous != table.end(), *std::prev(at), " is listed later");
    table.insert(at == order.begin() ? table.begin() : std::next(previous), row);
  }
}

}  // namespace

const std::vector<PassInfo>& passes() {
  static const std::vector<PassInfo> table = [] {
    std::vector<PassInfo> out = pass_rows();
    for (const auto& rows : {loops::pass_rows(), quant::pass_rows(), complex::pass_rows()})
      insert_in_order(out, rows);
    for (const PassInfo& row : compress::pass_rows()) out.push_back(row);
    return out;
  }();
  return table;
}

const std::vector<std::string>& pipeline(Pipeline which) {
  // Loops come first, since their notes count nodes as recorded. Sizes come before the rest, since
  // folding needs plain arguments. Dead code comes before iterations are copied, and before
  // folding, which would compute it. Quantisers are found while their formulas exist. Formulas of
  // activations are found after folding (their literals may be computed) and before promotion (its
  // casts would interrupt them). Promotion leaves casts of constants, which a second round folds.
  // Dead code need not run again, since every pass removes the operations that it makes dead.
  // Complex numbers are folded before they become pairs, whose dtypes need no promotion.
  static const Names standard = {
      "roll-loops",         "expand-packed",         "expand-quantised",       "bind-sizes",
      "dead-code",          "unroll-scans",          "recognise-quantisation", "fold-constants",
      "complex-to-pairs",   "canonical-activations", "canonical-rope",         "integer-products",
      "explicit-promotion", "fold-constants"};
  // Folding makes operands constant, as translations require. Quantised weights are recognised
  // before it, since it would turn them into floats.
  static const Names translation = {"expand-packed",  "expand-quantised", "bind-sizes",
                                    "dead-code",      "unroll-scans",     "recognise-quantisation",
                                    "fold-constants", "complex-to-pairs", "explicit-promotion",
                                    "fold-constants"};
  static const Names inspection = {"bind-sizes", "dead-code", "fold-constants", "dead-code"};
  static const Names attention = {"expand-attention"};
  // Weights that the model quantises itself become integers before constants are folded.
  static const Names preparation = {"bind-sizes",     "dead-code",       "recognise-quantisation",
                                    "fold-constants", "fold-batch-norm", "lift-weights"};
  // Observers see pruned weights, which are constants by then.
  static const Names quantisation = {
      "insert-compression",  "fold-constants",     "calculate-qparams",
      "compensate-rounding", "insert-fake-quant",  "quantise-q4_0",
      "correct-bias",        "quantise-constants", "fold-constants"};
  switch (which) {
    case Pipeline::standard: return standard;
    case Pipeline::translation: return translation;
    case Pipeline::inspection: return inspection;
    case Pipeline::attention: return attention;
    case Pipeline::preparation: return preparation;
    case Pipeline::quantisation: return quantisation;
  }
  internal_error(__FILE__, __LINE__, "no such pipeline");
}

std::vector<std::string> compression_passes() {
  Names out;
  for (const Pipeline each : {Pipeline::attention, Pipeline::preparation, Pipeline::quantisation})
    out.insert(out.end(), pipeline(each).begin(), pipeline(each).end());
  return out;
}

std::vector<PassInfo> find_passes(const std::vector<std::string>& names) {
  std::vector<PassInfo> out;
  out.reserve(names.size());
  for (const std::string& name : names) out.push_back(find_pass(name, passes()));
  return out;
}

bool run_pipeline(ir::Graph& graph, const std::vector<std::string>& names,
                  const PassContext& context, const PipelineOptions& options) {
  for (const std::string& name : options.disabled) find_pass(name, passes());
  if (!options.print_after.empty() && options.print_after != "all")
    find_pass(options.print_after, passes());
  const std::vector<PassInfo> selected = find_passes(names);
  ir::verify(graph, "trace");
  bool changed = false;
  for (const PassInfo& info : selected)
    if (!options.is_disabled(info.name)) changed |= run_pass(info, graph, context, options);
  return changed;
}

}  // namespace t2n::passes
