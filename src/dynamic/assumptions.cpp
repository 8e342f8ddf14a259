// What a dynamic graph holds for only: branches, loops and multiples that were baked in.
#include "src/dynamic/assumptions.h"

#include <algorithm>

#include "ir/scan.h"
#include "src/diag/error.h"
#include "src/dynamic/infer.h"

namespace t2n::dynamic {

using trace::Decision;
using trace::Traced;

namespace {

/// Whether it holds for whatever sizes of 1 and more: then it says nothing.
bool is_trivial(const Comparison& relation, const Sizes& sample) {
  if (relation.left.is_constant() && relation.right.is_constant()) return true;
  Sizes sizes = sample;
  constexpr int64_t kFar = 200;
  for (int64_t step = 1; step < kFar; ++step) {
    int64_t size = step;
    for (auto& [symbol, each] : sizes) each = size++;
    if (!holds(relation, sizes)) return false;
    for (auto& [symbol, each] : sizes) each = step * step;
    if (!holds(relation, sizes)) return false;
  }
  return true;
}

Diagnostic assumption(const Comparison& relation, const Traced& traced, const Decision& decision) {
  return Diagnostic{
      .severity = Severity::warning,
      .id = "dynamic-assumption",
      .message = cat("the file holds for ", ir::str(relation), " only"),
      .where = {place_of(traced, decision)},
      .details = {},
      .why = decision.kind == Decision::Kind::loop
                 ? "a loop takes the same number of turns at all sizes tried"
                 : "a branch on a size is baked in the way that all sizes tried took it",
      .help = "to say that you know, give it with --assert"};
}

/// "x:1=4*S" for the axis "x:1=S".
std::string in_multiples(const std::vector<AxisSpec>& axes, const std::string& symbol,
                         int64_t multiple) {
  const auto axis = std::find_if(axes.begin(), axes.end(), [&](const AxisSpec& each) {
    return each.size == ir::Dim::symbol(symbol);
  });
  const std::string place =
      axis == axes.end() ? "INPUT:AXIS" : axis->text.substr(0, axis->text.find('='));
  return cat(place, "=", multiple, "*", symbol);
}

void add_lengths(const ir::Graph& graph, const Sizes& sample, std::vector<Comparison>& out) {
  for (const ir::Node& node : graph.nodes) {
    if (!node.body) continue;
    const Comparison relation{ir::read_scan(node).length, Relation::ge, 1};
    if (!is_trivial(relation, sample)) out.push_back(relation);
    add_lengths(*node.body, sample, out);
  }
}

}  // namespace

std::vector<Comparison> branch_relations(const Traced& traced, const Sizes& sample,
                                         const std::vector<Comparison>& asserted,
                                         const Report& report) {
  std::vector<Comparison> out;
  for (const Decision& decision : traced.decisions) {
    if (!decision.comparison) continue;
    const bool is_as_said = decision.kind == Decision::Kind::loop || decision.way != 0;
    const Comparison way = is_as_said ? *decision.comparison : negated(*decision.comparison);
    const Comparison relation{over_axes(way.left, traced.graph), way.relation,
                              over_axes(way.right, traced.graph)};
    const auto same = [&](const Comparison& other) { return other == relation; };
    if (is_trivial(relation, sample) || std::any_of(out.begin(), out.end(), same)) continue;
    out.push_back(relation);
    if (report && std::none_of(asserted.begin(), asserted.end(), same))
      report(assumption(relation, traced, decision));
  }
  return out;
}

void report_fixed(const std::vector<Decision>& fixed, const Traced& traced, const Report& report) {
  if (!report) return;
  for (const Decision& decision : fixed) {
    if (over_axes(decision.sizes, traced.graph).is_constant()) continue;
    const bool is_number = decision.kind == Decision::Kind::number;
    report(Diagnostic{.severity = Severity::warning,
                      .id = "dynamic-assumption",
                      .message = is_number ? cat("the number ", decision.number,
                                                 " is computed from sizes, and baked in")
                                           : "a branch or loop that depends on sizes is baked in",
                      .where = {place_of(traced, decision)},
                      .details = {},
                      .why = "it is the same at all sizes tried; at others it may not be",
                      .help = "compute it from whole sizes by + - * //, or from tensors"});
  }
}

void report_multiples(const std::vector<Comparison>& found, const std::vector<AxisSpec>& axes,
                      const Chooser& chooser, const Report& report) {
  for (const Comparison& relation : found) {
    const auto symbols = relation.left.symbols();
    const bool is_symbol = symbols.size() == 1 && relation.left == ir::Dim::symbol(symbols[0]);
    if (!report || relation.relation != Relation::eq || !is_symbol) continue;
    const int64_t multiple = chooser.bounds(symbols[0]).multiple;
    report(Diagnostic{
        .severity = Severity::warning,
        .id = "dynamic-assumption",
        .message = cat("the file holds for ", ir::str(relation), " only"),
        .where = {},
        .details = {},
        .why = "the model runs at multiples only",
        .help = cat("if the engine does not see that, declare the multiple itself: --dynamic ",
                    in_multiples(axes, symbols[0], multiple))});
  }
}

std::vector<Comparison> loop_relations(const ir::Graph& graph, const Sizes& sample) {
  std::vector<Comparison> out;
  add_lengths(graph, sample, out);
  return out;
}

std::vector<Comparison> positivity(const Sizes& sample, const std::vector<Comparison>& asserted) {
  std::vector<Comparison> out;
  for (const auto& [symbol, size] : sample) {
    const ir::Dim dim = ir::Dim::symbol(symbol);
    const bool has_bound =
        std::any_of(asserted.begin(), asserted.end(), [&](const Comparison& each) {
          const Comparison way = each.right == dim ? mirrored(each) : each;
          return way.left == dim && way.right.is_constant() &&
                 (way.relation == Relation::gt || way.relation == Relation::ge);
        });
    if (!has_bound) out.push_back({dim, Relation::ge, size == 0 ? 0 : 1});
  }
  return out;
}

}  // namespace t2n::dynamic
