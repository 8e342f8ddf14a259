// SPDX-License-Identifier: Apache-2.0
#include "src/translate/nan.h"

#include <algorithm>
#include <array>

#include "ir/op_traits.h"
#include "ir/readable.h"
#include "src/diag/error.h"
#include "src/diag/one_of.h"
#include "src/tract_forms/size_barriers.h"
#include "src/translate/arith.h"
#include "src/translate/emitter_state.h"
#include "src/translate/nan_sizes.h"

namespace t2n::ops {
namespace {

/// Elementwise operators that engines compute with a maximum, or by clamping.
constexpr std::array<std::string_view, 18> kElementwise = {
    "relu",      "relu6",      "hardtanh", "clamp", "clamp_min", "clamp_max",
    "clip",      "maximum",    "minimum",  "max",   "min",       "hardsigmoid",
    "hardswish", "softshrink", "sigmoid",  "tanh",  "silu",      "logit"};
/// Extrema, whose translations call may_meet_nan() themselves, as pools do.
constexpr std::array<std::string_view, 9> kExtrema = {
    "amax", "amin", "max", "min", "aminmax", "argmax", "argmin", "cummax", "cummin"};
constexpr std::array<std::string_view, 8> kPools = {"max_pool1d",
                                                    "max_pool2d",
                                                    "max_pool3d",
                                                    "max_pool2d_with_indices",
                                                    "max_pool3d_with_indices",
                                                    "adaptive_max_pool1d",
                                                    "adaptive_max_pool2d",
                                                    "adaptive_max_pool3d"};
/// Operators that lose NaN, or move it to other elements, whatever the option.
constexpr std::array<std::string_view, 15> kAlways = {
    "sort",     "argsort",       "msort",         "topk",     "kthvalue",
    "lstm",     "gru",           "lstm_cell",     "gru_cell", "rnn_tanh",
    "rnn_relu", "rnn_tanh_cell", "rnn_relu_cell", "unique",   "median"};

bool is_zero_factor(const ir::Graph& graph, const ir::Node& node, std::string_view argument) {
  const ir::Attr* const attr = node.find(argument);
  if (attr == nullptr) return false;
  if (const auto* number = std::get_if<double>(attr)) return *number == 0;
  if (const auto* number = std::get_if<Dim>(attr)) return *number == Dim(0);
  const ir::ValueId id = ir::operand(node, argument);
  const auto found =
      std::find_if(graph.constants.begin(), graph.constants.end(),
                   [&](const ir::Constant& constant) { return constant.value == id; });
  if (found == graph.constants.end() || found->data.bytes.empty()) return false;
  const std::vector<double> values = ir::to_f64(found->data);
  return std::all_of(values.begin(), values.end(), [](double value) { return value == 0; });
}

/// Engines fold such products to 0.
bool is_product_with_zero(const ir::Graph& graph, const ir::Node& node) {
  const std::string_view op = ir::op_short_name(node.op);
  return (op == "mul" || op == "multiply") &&
         (is_zero_factor(graph, node, "self") || is_zero_factor(graph, node, "other"));
}

bool loses_nan_elementwise(const ir::Graph& graph, const ir::Node& node) {
  const std::string_view op = ir::op_short_name(node.op);
  const bool is_reduction = is_one_of(op, kExtrema) && node.find("other") == nullptr;
  return (is_one_of(op, kElementwise) && !is_reduction) || is_product_with_zero(graph, node);
}

bool may_lose_nan(const ir::Graph& graph, const ir::Node& node) {
  constexpr std::array<std::string_view, 2> kScatters = {"scatter_reduce", "index_reduce"};
  const std::string_view op = ir::op_short_name(node.op);
  return loses_nan_elementwise(graph, node) || is_one_of(op, kExtrema) || is_one_of(op, kPools) ||
         is_one_of(op, kScatters) || is_one_of(op, kAlways);
}

bool is_option(const ir::Graph& graph, std::string_view option) {
  const auto found = graph.attributes.find(kNanOption);
  return found != graph.attributes.end() && std::any_cast<std::string>(found->second) == option;
}

/// The analysis of the graph being translated; for the body of a loop, including that of its
/// inputs.
const NanAnalysis& nan_analysis(Emitter::State& state) {
  if (!state.nan) {
    const ir::Graph& root = state.outermost().graph;
    bool all = is_option(root, "keep");
    if (!all && state.is_body) {
      const NanAnalysis& outer = nan_analysis(*state.body.outer);
      ir::for_each_input(*state.body.outer->node,
                         [&](ir::ValueId id) { all = all || outer.may_be_nan(id); });
      all = all || NanAnalysis(state.graph, ir::relations(root), false).any();
    }
    state.nan = std::make_shared<const NanAnalysis>(state.graph, ir::relations(root), all);
  }
  return *state.nan;
}

std::vector<ir::ValueId> nan_operands(Emitter& out, const ir::Node& node) {
  std::vector<ir::ValueId> found;
  const NanAnalysis& analysis = nan_analysis(out.state());
  ir::for_each_input(node, [&](ir::ValueId id) {
    if (analysis.may_be_nan(id) && ir::is_float(out.dtype(out.value(id)))) found.push_back(id);
  });
  return found;
}

/// Replaces a result, which takes over the name of the value.
void replace_result(Emitter& out, const ir::Node& node, int index, Ref y) {
  Emitter::State& state = out.state();
  TensorEntry& replaced = state.at(out.value(node.outputs[index]));
  if (replaced.is_claimed && !replaced.is_input) {
    replaced.is_claimed = false;
    replaced.name = std::string(ir::op_short_name(node.op));
  }
  out.result(y, index);
}

void keep_nan_elementwise(Emitter& out, const ir::Node& node,
                          const std::vector<ir::ValueId>& operands) {
  const Ref before = out.value(node.outputs.at(0));
  Ref y = before;
  for (const ir::ValueId id : operands) {
    const Ref x = out.value(id);
    y = select(out, is_nan(out, x), out.cast(x, out.dtype(y)), y);
  }
  replace_result(out, node, 0, y);
}

}  // namespace

Ref is_nan(Emitter& out, Ref x) {
  // tract keeps a comparison of sizes as an expression, and refuses it as an input of a body.
  if (out.state().facts(x).from_sizes) x = tract_forms::size_barrier(out.state(), x);
  return compare(out, "ne", x, x);
}

bool may_meet_nan(Emitter& out) { return !nan_operands(out, *out.state().node).empty(); }

bool may_meet_nan(Emitter& out, std::string_view argument) {
  return nan_analysis(out.state()).may_be_nan(ir::operand(*out.state().node, argument));
}

void keep_nan(Emitter& out, const ir::Node& node) {
  if (!loses_nan_elementwise(out.state().graph, node)) return;
  const ir::Value& first = out.state().graph.values[node.outputs.at(0)];
  if (!ir::is_float(first.dtype)) return;
  const std::vector<ir::ValueId> operands = nan_operands(out, node);
  if (!operands.empty()) keep_nan_elementwise(out, node, operands);
}

namespace {

Diagnostic gives_nan(const ir::Graph& graph, const ir::Node& node, const NanSizes& sizes) {
  return {.severity = Severity::warning,
          .id = "nan-at-size",
          .message = cat(ir::op_name(node.op), " divides by 0 where ", ir::readable(sizes.count),
                         " <= ", sizes.least),
          .where = {ir::node_where(graph, node)},
          .details = {},
          .why = "the exported model gives NaN there, as torch does",
          .help = "if such sizes never occur, exclude them with --assert"};
}

void warn_of_sizes(const ir::Graph& graph, const std::vector<ir::Comparison>& assertions,
                   const Report& report) {
  const SizeNumbers numbers(graph);
  for (const ir::Node& node : graph.nodes) {
    const auto sizes = nan_sizes(graph, node, numbers, assertions);
    if (sizes && !sizes->count.is_constant()) report(gives_nan(graph, node, *sizes));
    if (node.body) warn_of_sizes(*node.body, assertions, report);
  }
}

/// The operations of the graph that lose a NaN of an operand, with their source locations.
void list_nan_losses(const ir::Graph& graph, const NanAnalysis& known,
                     std::vector<std::string>& lines) {
  for (const ir::Node& node : graph.nodes) {
    bool loses = false;
    if (may_lose_nan(graph, node) && !node.outputs.empty())
      ir::for_each_input(node, [&](ir::ValueId id) {
        const bool is_float = ir::is_float(graph.values[id].dtype);
        loses = loses || (is_float && !known.may_be_nan(id));
      });
    if (loses)
      lines.push_back(cat(ir::op_name(node.op), ": ", render_where(ir::node_where(graph, node))));
    if (node.body) list_nan_losses(*node.body, known, lines);
  }
}

void report_nan_losses(const ir::Graph& graph, const target::Target& target, const Report& report) {
  std::vector<std::string> lines;
  if (target.engine == target::Engine::tract)
    list_nan_losses(graph, NanAnalysis(graph, ir::relations(graph), false), lines);
  report({.severity = Severity::warning,
          .id = "nan-lost",
          .message = cat("operations that lose a NaN of an input in ", target::target_name(target),
                         ": ", lines.size()),
          .where = {},
          .details = lines,
          .why = {},
          .help = lines.empty() ? "" : "export with --nan keep to preserve it"});
}

}  // namespace

void report_nan(const ir::Graph& graph, const target::Target& target, const Report& report) {
  if (!report) return;
  warn_of_sizes(graph, ir::relations(graph), report);
  if (is_option(graph, "report")) report_nan_losses(graph, target, report);
}

}  // namespace t2n::ops
