// SPDX-License-Identifier: Apache-2.0
#include "src/dynamic/assumptions.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "ir/atoms.h"
#include "ir/prove.h"
#include "ir/readable.h"
#include "ir/scan.h"
#include "src/diag/error.h"
#include "src/dynamic/level.h"
#include "src/dynamic/same.h"
#include "src/dynamic/unbacked_sizes.h"
#include "src/shapes/constraint_set.h"

namespace t2n::dynamic {

using ir::Dim;
using ir::Verdict;
using trace::Decision;
using trace::Traced;

namespace {

std::string why_needed(const Decision& decision) {
  if (decision.kind == Decision::Kind::loop)
    return "a loop takes the same number of iterations at all sizes tried";
  if (decision.reason.empty())
    return "a branch on a size is fixed to the direction taken at all sizes tried";
  return cat("a branch on a size is fixed to one direction, and it cannot become a select: ",
             decision.reason);
}

std::string comparisons_text(const std::vector<Comparison>& comparisons,
                             std::string_view separator = " and ") {
  std::string out;
  for (const Comparison& each : comparisons)
    out += cat(out.empty() ? "" : separator, ir::readable(each));
  return out;
}

Diagnostic diagnostic_for(const Need& need, std::string message, std::string help) {
  Diagnostic out;
  out.id = "dynamic-assumption";
  out.message = std::move(message);
  out.why = need.why;
  out.help = std::move(help);
  if (need.where) out.where.push_back(*need.where);
  return out;
}

/// A decision that no comparison of declared sizes expresses.
Diagnostic inexpressible(const Decision& decision, const Traced& traced) {
  if (decision.kind == Decision::Kind::overlap)
    return diagnostic_for(
        {{}, location_of(traced, decision), "the regions are not provably disjoint at all sizes"},
        "a tensor is written while a part of it is read, and the regions depend on sizes",
        "clone() the part that is read");
  constexpr const char* kHelp = "compute it from sizes with + - * //, min and max, or from tensors";
  if (decision.kind == Decision::Kind::number)
    return diagnostic_for(
        {{}, location_of(traced, decision), "no expression of sizes gives it at all sizes"},
        cat("the number ", decision.number, " is computed from sizes"), kHelp);
  return diagnostic_for(
      {{}, location_of(traced, decision), "no comparison of sizes states when it stays the same"},
      "a branch or loop depends on sizes in a way that cannot be expressed", kHelp);
}

/// True if any of the symbols depends on a declared axis. Their sum may not: S + (8 - S).
bool is_over_axes(const Dim& sizes, const InferredSizes& inferred) {
  const std::vector<Symbol> symbols = sizes.symbols();
  return std::any_of(symbols.begin(), symbols.end(), [&](const Symbol& symbol) {
    return !inferred.over_axes(Dim::symbol(symbol)).is_constant();
  });
}

bool is_over(const Dim& dim, const Sizes& sizes) { return dim.substitute(sizes).is_constant(); }

void add_lengths(const ir::Graph& graph, const Sizes& sample, int64_t least,
                 std::vector<Need>& out) {
  for (const ir::Node& node : graph.nodes) {
    if (!node.body) continue;
    const Dim length = ir::read_scan(node).length;
    if (!is_over(length, sample)) continue;  // it differs in each iteration of an outer loop
    out.push_back(
        {{length, Relation::ge, least},
         ir::node_where(graph, node),
         "the loop must take at least one iteration, not counting a first one that differs",
         true,
         false,
         "loop over all rows, and select the rows that count with torch.where: that also "
         "works for none"});
    add_lengths(*node.body, sample, 1, out);
  }
}

/// "x:1=4*S" for the axis "x:1=S".
std::string in_multiples(const std::vector<AxisSpec>& axes, const Symbol& symbol,
                         int64_t multiple) {
  const Dim size = Dim::symbol(symbol);
  const auto axis = std::find_if(axes.begin(), axes.end(),
                                 [&](const AxisSpec& each) { return each.size == size; });
  const std::string input_axis =
      axis == axes.end() ? "INPUT:AXIS" : axis->text.substr(0, axis->text.find('='));
  return cat("--dynamic ", input_axis, "=", multiple, "*", symbol);
}

}  // namespace

int64_t period(const Dim& dim) {
  int64_t out = 1;
  ir::for_each_atom(dim, [&](const ir::Atom& atom) {
    if (const ir::Operands* operands = ir::operands_of(atom)) {
      out = std::lcm(out, period(operands->a));
      if (operands->b.is_constant() && operands->b.value() > 0)
        out = std::lcm(out, operands->b.value());
    }
  });
  return out;
}

std::vector<Comparison> positivity(const Sizes& sample, const std::vector<Comparison>& asserted) {
  std::vector<Comparison> out;
  for (const auto& [symbol, size] : sample) {
    const Dim dim = Dim::symbol(symbol);
    const bool has_bound =
        std::any_of(asserted.begin(), asserted.end(), [&](const Comparison& each) {
          const Comparison bound = each.right == dim ? mirrored(each) : each;
          return bound.left == dim && bound.right.is_constant() &&
                 (bound.relation == Relation::gt || bound.relation == Relation::ge);
        });
    if (!has_bound) out.push_back({dim, Relation::ge, size == 0 ? 0 : 1});
  }
  return out;
}

namespace {

/// If the comparison fixes a remainder of one size, the axis can be declared as a multiple.
std::string help_for(const Comparison& comparison, const Sizes& sample) {
  const Dim gap = comparison.left - comparison.right;
  const std::vector<Symbol> symbols = gap.symbols();
  const int64_t divisor = period(gap);
  const auto size = symbols.size() == 1 ? sample.find(symbols[0]) : sample.end();
  if (divisor == 1 || size == sample.end())
    return "give a bound that implies it with --assert, such as which of two sizes is larger";
  const int64_t remainder = size->second % divisor;
  return cat("declare the axis as a multiple: --dynamic INPUT:AXIS=", divisor, "*", symbols[0],
             remainder == 0 ? "" : cat("+", remainder));
}

}  // namespace

Need need_of(Assumption assumption) {
  return {std::move(assumption.relation), std::move(assumption.where),
          cat(assumption.op, " requires it")};
}

/// Records a condition on sizes that are unknown when an engine starts. A branch is reported even
/// if an operator inside it requires the same: the model does not fail there, it computes something
/// else.
void Assertions::require_at_runtime(const Need& need) {
  const auto follows_with = [&](const std::vector<Comparison>& more) {
    std::vector<Comparison> known = all_;
    known.insert(known.end(), more.begin(), more.end());
    return follows(need.comparison, known);
  };
  if (!follows_with(runtime_assertions_)) runtime_assertions_.push_back(need.comparison);
  if (!need.is_warned || !report_ || follows_with(warned_)) return;
  warned_.push_back(need.comparison);
  if (need.comparison.relation == Relation::ne && need.comparison.right == Dim(0))
    warned_.push_back({need.comparison.left, Relation::ge, 1});  // no size is negative
  Diagnostic warning = diagnostic_for(
      need, cat("the exported model requires ", ir::readable(need.comparison)), need.help);
  warning.severity = Severity::warning;
  report_(warning);
}

void Assertions::warn_sign(const Need& need, const Symbol& number) const {
  if (!report_ || need.is_guard) return;
  const Comparison natural = {Dim::symbol(number), Relation::ge, 0};
  Diagnostic warning = diagnostic_for(
      need, cat("the exported model requires ", ir::readable(natural)),
      "if the number may be negative, replace negative values with torch.where first");
  warning.why = "a number read from a tensor is used as a size, and a branch tests its sign";
  warning.severity = Severity::warning;
  report_(warning);
}

/// Refuses an axis that is declared dynamic if only one size remains.
void Assertions::refuse_one_size(const Need& need, const std::vector<Comparison>& added) const {
  for (const Comparison& each : added)
    for (const Symbol& symbol : (each.left - each.right).symbols()) {
      const auto size = sample().find(symbol);
      if (size == sample().end()) continue;
      if (!follows({Dim::symbol(symbol), Relation::eq, size->second}, all_)) continue;
      const std::string only = cat(symbol, " == ", size->second);
      throw Error(
          diagnostic_for(need, cat("the exported model would require ", only),
                         cat("compute the same for all sizes, or leave the axis out of --dynamic; "
                             "if this is intended, add --assert '",
                             only, "'")));
    }
}

void Assertions::add(const Need& need) {
  if (is_unbacked(need.comparison)) return require_at_runtime(need);
  if (follows(need.comparison, all_)) return;
  const auto forms = expressible(need.comparison, seen_, all_);
  if (!forms && need.is_guard) return;
  if (!forms)
    throw Error(diagnostic_for(
        need,
        cat("the model requires ", ir::readable(need.comparison), ", which NNEF cannot express"),
        help_for(need.comparison, sample())));
  all_.insert(all_.end(), forms->begin(), forms->end());
  refuse_one_size(need, *forms);
  Added added{*forms, {}};
  if (need.is_warned && !forms->empty()) {
    added.warning = diagnostic_for(
        need, cat("the exported model requires ", comparisons_text(*forms)),
        cat("to confirm it, add --assert '", comparisons_text(*forms, "' --assert '"), "'"));
    added.warning->severity = Severity::warning;
  }
  added_.push_back(std::move(added));
}

void Assertions::finish() {
  for (const Added& added : std::exchange(added_, {})) {
    std::vector<Comparison> others = all_;
    const auto is_added = [&](const Comparison& each) {
      return std::find(added.forms.begin(), added.forms.end(), each) != added.forms.end();
    };
    others.erase(std::remove_if(others.begin() + known_, others.end(), is_added), others.end());
    const bool is_implied =
        std::all_of(added.forms.begin(), added.forms.end(),
                    [&](const Comparison& each) { return follows(each, others); });
    if (is_implied)
      all_ = std::move(others);
    else if (added.warning && report_)
      report_(*added.warning);
  }
}

Diagnostic branch_refusal(const Need& need, const std::string& sizes) {
  Diagnostic out =
      diagnostic_for(need, cat("a branch depends on a size: it takes another direction at ", sizes),
                     "compute the same for all sizes, or export one model per size");
  out.id = "dynamic-differs";
  out.why = "NNEF has no branches; the exported model would contain one direction only";
  return out;
}

void Assertions::add_branch(const Need& need) {
  if (!is_unbacked(need.comparison) && !holds(need.comparison, sample()))
    throw Error(branch_refusal(need, "other sizes"));
  add(need);
}

std::vector<Need> branch_needs(const Traced& traced, const Sizes& sample,
                               std::vector<Diagnostic>* found) {
  std::vector<Need> out;
  std::vector<Diagnostic> refusals;
  const InferredSizes inferred(traced.graph);
  for (const Decision& decision : traced.decisions) {
    if (!decision.comparison) {
      if (is_over_axes(decision.sizes, inferred)) {
        trace::add_refusal(refusals, inexpressible(decision, traced));
      }
      continue;
    }
    Comparison condition = decision.kind == Decision::Kind::loop || decision.direction != 0
                               ? *decision.comparison
                               : negated(*decision.comparison);
    condition.left = inferred.over_axes(condition.left);
    condition.right = inferred.over_axes(condition.right);
    if (!is_over(condition.left, sample) || !is_over(condition.right, sample)) {
      trace::add_refusal(refusals, inexpressible(decision, traced));
      continue;
    }
    out.push_back(
        {condition, location_of(traced, decision), why_needed(decision), true, decision.is_guard});
  }
  if (found != nullptr)
    std::move(refusals.begin(), refusals.end(), std::back_inserter(*found));
  else if (!refusals.empty())
    throw Error(refusals[0], {refusals.begin() + 1, refusals.end()});
  return out;
}

std::vector<Need> loop_needs(const ir::Graph& graph, const Sizes& sample) {
  std::vector<Need> out;
  add_lengths(graph, sample, 0, out);  // tract fails on inner loops without an iteration
  return out;
}

Multiples multiples_of(const std::vector<Need>& needs, const std::vector<Comparison>& known) {
  Multiples out;
  for (const Need& need : needs) {
    const Comparison& c = need.comparison;
    const Dim gap = c.left - c.right;
    const std::vector<Symbol> symbols = gap.symbols();
    if (c.relation != Relation::eq || symbols.size() != 1 || follows(c, known)) continue;
    if (symbols[0].unbacked() != nullptr) continue;  // it cannot be declared
    const int64_t multiple = period(gap);
    if (multiple == 1 || !Multiples{{{symbols[0], multiple}}, {}}.imply(c)) continue;
    // An operator has a location; sizes that torch rejects have none.
    if (!out.first || (!out.first->where && need.where)) out.first = need;
    const auto [found, is_new] = out.by_symbol.try_emplace(symbols[0], multiple);
    if (!is_new) found->second = std::lcm(found->second, multiple);
  }
  return out;
}

bool Multiples::imply(const Comparison& comparison) const {
  const auto as_multiple = [&](const Symbol& symbol) -> std::optional<Dim> {
    const auto found = by_symbol.find(symbol);
    if (found == by_symbol.end()) return std::nullopt;
    return Dim(found->second) * Dim::symbol(symbol);
  };
  const Dim gap = comparison.left - comparison.right;
  return !by_symbol.empty() && follows({gap.substitute(as_multiple), comparison.relation, 0}, {});
}

void refuse_multiples(const Multiples& multiples, const std::vector<AxisSpec>& axes) {
  if (!multiples.first) return;
  std::string declared;
  for (const auto& [symbol, multiple] : multiples.by_symbol)
    declared += (declared.empty() ? "" : " ") + in_multiples(axes, symbol, multiple);
  const auto& [symbol, multiple] = *multiples.by_symbol.begin();
  throw Error(diagnostic_for(*multiples.first,
                             cat("the model requires ", symbol, " to be a multiple of ", multiple),
                             cat("declare the axis as a multiple: ", declared)));
}

}  // namespace t2n::dynamic
