#include "src/translate/nan.h"

#include <algorithm>
#include <array>

#include "ir/op_traits.h"
#include "src/diag/error.h"
#include "src/diag/one_of.h"
#include "src/translate/arith.h"
#include "src/translate/emitter_state.h"
#include "src/translate/nan_sizes.h"

namespace t2n::ops {
namespace {

/// Elementwise operators that engines compute with a maximum, or between bounds.
constexpr std::array<std::string_view, 18> kElementwise = {
    "relu",      "relu6",      "hardtanh", "clamp", "clamp_min", "clamp_max",
    "clip",      "maximum",    "minimum",  "max",   "min",       "hardsigmoid",
    "hardswish", "softshrink", "sigmoid",  "tanh",  "silu",      "logit"};
/// Reductions; their first result are elements.
constexpr std::array<std::string_view, 5> kReductions = {"amax", "amin", "max", "min", "aminmax"};
/// Maxima of windows, see with_infinities().
constexpr std::array<std::string_view, 8> kPools = {"max_pool1d",
                                                    "max_pool2d",
                                                    "max_pool3d",
                                                    "max_pool2d_with_indices",
                                                    "max_pool3d_with_indices",
                                                    "adaptive_max_pool1d",
                                                    "adaptive_max_pool2d",
                                                    "adaptive_max_pool3d"};
/// Operators that lose NaN, or put it anywhere, whatever is asked for.
constexpr std::array<std::string_view, 19> kAlways = {
    "cummax",        "cummin",        "argmax",         "argmin",   "sort",
    "argsort",       "msort",         "topk",           "kthvalue", "lstm",
    "gru",           "lstm_cell",     "gru_cell",       "rnn_tanh", "rnn_relu",
    "rnn_tanh_cell", "rnn_relu_cell", "scatter_reduce", "unique"};

bool is_loser(std::string_view op) {
  return is_one_of(op, kElementwise) || is_one_of(op, kReductions) || is_one_of(op, kPools) ||
         is_one_of(op, kAlways);
}

bool is_option(const ir::Graph& graph, std::string_view option) {
  const auto found = graph.attributes.find(kNanOption);
  return found != graph.attributes.end() && std::any_cast<std::string>(found->second) == option;
}

/// The facts of the graph that is translated; of a loop's body, those of what enters it as well.
const NanFacts& facts(Emitter::State& state) {
  if (!state.nan) {
    const ir::Graph& whole = state.outermost().graph;
    bool all = is_option(whole, "keep");
    if (!all && state.outer != nullptr) {
      const NanFacts& around = facts(*state.outer);
      ir::for_each_input(*state.outer->node,
                         [&](ir::ValueId id) { all = all || around.may_be_nan(id); });
      all = all || NanFacts(state.graph, ir::relations(whole), false).any();
    }
    state.nan = std::make_shared<const NanFacts>(state.graph, ir::relations(whole), all);
  }
  return *state.nan;
}

std::vector<ir::ValueId> nan_operands(Emitter& out, const ir::Node& node) {
  std::vector<ir::ValueId> found;
  const NanFacts& known = facts(out.state());
  ir::for_each_input(node, [&](ir::ValueId id) {
    if (known.may_be_nan(id) && ir::is_float(out.dtype(out.value(id)))) found.push_back(id);
  });
  return found;
}

/// Replaces a result; the name of the value goes with it.
void replace_result(Emitter& out, const ir::Node& node, int index, Ref y) {
  Emitter::State& state = out.state();
  TensorEntry& before = state.at(out.value(node.outputs[static_cast<size_t>(index)]));
  if (before.is_claimed && !before.is_input) {
    before.is_claimed = false;
    before.name = std::string(ir::op_short_name(node.op));
  }
  out.result(y, index);
}

/// The axes of a reduction that takes all, one or several of them.
Ints reduced_axes(const ir::Node& node, int rank) {
  const ir::Attr* const given = node.find("dim");
  std::vector<Dim> axes;
  if (given != nullptr) {
    if (const auto* many = std::get_if<std::vector<Dim>>(given)) axes = *many;
    if (const auto* one = std::get_if<Dim>(given)) axes = {*one};
  }
  if (axes.empty()) return all_axes(rank);
  Ints found;
  for (const Dim& axis : axes)
    found.push_back(axis.value() < 0 ? axis.value() + rank : axis.value());
  std::sort(found.begin(), found.end());
  return found;
}

void keep_in_reduction(Emitter& out, const ir::Node& node, Ref x) {
  if (out.rank(x) == 0) return;
  const Ref any = reduce(out, "max_reduce", is_nan(out, x), reduced_axes(node, out.rank(x)));
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    const Ref y = out.value(node.outputs[i]);
    if (!ir::is_float(out.dtype(y))) continue;  // positions
    const Ref where = out.reshape(any, out.shape(y));
    replace_result(out, node, static_cast<int>(i), select(out, where, like(out, kNan, y), y));
  }
}

void keep_in_elements(Emitter& out, const ir::Node& node,
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

bool may_meet_nan(Emitter& out, std::string_view argument) {
  return facts(out.state()).may_be_nan(ir::operand(*out.state().node, argument));
}

void keep_nan(Emitter& out, const ir::Node& node) {
  const std::string_view op = ir::op_short_name(node.op);
  const bool is_reduction = is_one_of(op, kReductions) && node.find("other") == nullptr;
  if (!is_reduction && !is_one_of(op, kElementwise)) return;
  const ir::Value& first = out.state().graph.values[static_cast<size_t>(node.outputs.at(0))];
  if (!ir::is_float(first.dtype)) return;
  const std::vector<ir::ValueId> operands = nan_operands(out, node);
  if (operands.empty()) return;
  if (is_reduction)
    keep_in_reduction(out, node, out.value(operands[0]));
  else
    keep_in_elements(out, node, operands);
}

namespace {

Diagnostic gives_nan(const ir::Graph& graph, const ir::Node& node, const NanSizes& sizes) {
  return {.severity = Severity::warning,
          .id = "nan-at-size",
          .message = cat(ir::op_name(node.op), " divides by 0 where ", sizes.count.str(),
                         " <= ", sizes.least),
          .where = {ir::node_where(graph, node)},
          .details = {},
          .why = "the file gives NaN there as torch does",
          .help = "where such sizes never come, --assert excludes them"};
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

/// The operations of the graph that lose a NaN of an operand, with their places.
void list_losers(const ir::Graph& graph, const NanFacts& known, std::vector<std::string>& lines) {
  for (const ir::Node& node : graph.nodes) {
    bool loses = false;
    if (is_loser(ir::op_short_name(node.op)) && !node.outputs.empty() &&
        ir::is_float(graph.values[static_cast<size_t>(node.outputs[0])].dtype))
      ir::for_each_input(node, [&](ir::ValueId id) { loses = loses || !known.may_be_nan(id); });
    if (loses)
      lines.push_back(cat(ir::op_name(node.op), ": ", render_where(ir::node_where(graph, node))));
    if (node.body) list_losers(*node.body, known, lines);
  }
}

void note_losers(const ir::Graph& graph, const target::Target& target, const Report& report) {
  std::vector<std::string> lines;
  if (target.engine == target::Engine::tract)
    list_losers(graph, NanFacts(graph, ir::relations(graph), false), lines);
  report({.severity = Severity::warning,
          .id = "nan-lost",
          .message = cat("operations that lose a NaN of an input in ", target::target_name(target),
                         ": ", lines.size()),
          .where = {},
          .details = lines,
          .why = {},
          .help = lines.empty() ? "" : "--nan keep writes them so that they keep it"});
}

}  // namespace

void report_nan(const ir::Graph& graph, const target::Target& target, const Report& report) {
  if (!report) return;
  warn_of_sizes(graph, ir::relations(graph), report);
  if (is_option(graph, "report")) note_losers(graph, target, report);
}

}  // namespace t2n::ops
