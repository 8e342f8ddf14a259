#include "src/dynamic/assumptions.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "ir/prove.h"
#include "ir/scan.h"
#include "src/diag/error.h"
#include "src/dynamic/constraint_set.h"
#include "src/dynamic/infer.h"
#include "src/dynamic/same.h"
#include "src/dynamic/unbacked_sizes.h"

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
    return "a branch on a size is baked in the way that all sizes tried took it";
  return cat("a branch on a size is baked in, and no select stands for it, since ",
             decision.reason);
}

std::string comparisons_text(const std::vector<Comparison>& comparisons) {
  std::string out;
  for (const Comparison& each : comparisons) out += (out.empty() ? "" : " and ") + ir::str(each);
  return out;
}

Diagnostic told(const Need& need, std::string message, std::string help) {
  Diagnostic out;
  out.id = "dynamic-assumption";
  out.message = std::move(message);
  out.why = need.why;
  out.help = std::move(help);
  if (need.where) out.where.push_back(*need.where);
  return out;
}

/// Refuses a decision that no comparison of declared sizes expresses.
[[noreturn]] void refuse_inexpressible(const Decision& decision, const Traced& traced) {
  if (decision.kind == Decision::Kind::overlap)
    throw Error(
        told({{}, place_of(traced, decision), "they are not seen to lie apart at all sizes"},
             "a tensor is written while a part of it is read, and where they lie follows "
             "from sizes",
             "clone() what is read"));
  const bool is_number = decision.kind == Decision::Kind::number;
  const Need need{{},
                  place_of(traced, decision),
                  "no comparison of sizes tells for which of them it is the same"};
  throw Error(told(need,
                   is_number
                       ? cat("the number ", decision.number, " is computed from sizes")
                       : "a branch or loop depends on sizes in a way that cannot be expressed",
                   "compute it from whole sizes by + - * //, min and max, or from tensors"));
}

/// Whether any of the symbols follows from a declared axis. Their sum may not: S + (8 - S).
bool is_open(const Dim& sizes, const ir::Graph& graph) {
  const std::vector<Symbol> symbols = sizes.symbols();
  return std::any_of(symbols.begin(), symbols.end(), [&](const Symbol& symbol) {
    return !over_axes(Dim::symbol(symbol), graph).is_constant();
  });
}

bool is_over(const Dim& dim, const Sizes& sizes) { return dim.substitute(sizes).is_constant(); }

void add_lengths(const ir::Graph& graph, const Sizes& sample, int64_t least,
                 std::vector<Need>& out) {
  for (const ir::Node& node : graph.nodes) {
    if (!node.body) continue;
    const Dim length = ir::read_scan(node).length;
    if (!is_over(length, sample)) continue;  // it differs in each iteration of an outer loop
    out.push_back({{length, Relation::ge, least},
                   ir::node_where(graph, node),
                   "a loop takes one iteration or more, beside a first one that is unlike others",
                   true,
                   false,
                   "let the loop run over all rows, and torch.where choose in it which of them "
                   "count: that runs for none as well"});
    add_lengths(*node.body, sample, 1, out);
  }
}

/// "x:1=4*S" for the axis "x:1=S".
std::string in_multiples(const std::vector<AxisSpec>& axes, const Symbol& symbol,
                         int64_t multiple) {
  const Dim size = Dim::symbol(symbol);
  const auto axis = std::find_if(axes.begin(), axes.end(),
                                 [&](const AxisSpec& each) { return each.size == size; });
  const std::string place =
      axis == axes.end() ? "INPUT:AXIS" : axis->text.substr(0, axis->text.find('='));
  return cat("--dynamic ", place, "=", multiple, "*", symbol);
}

}  // namespace

int64_t period(const Dim& dim) {
  int64_t out = 1;
  dim.map([&](const ir::Atom& atom) {
    if (const ir::Operands* of = ir::operands_of(atom)) {
      out = std::lcm(out, period(of->a));
      if (of->b.is_constant() && of->b.value() > 0) out = std::lcm(out, of->b.value());
    }
    return Dim(0);
  });
  return out;
}

std::vector<Comparison> positivity(const Sizes& sample, const std::vector<Comparison>& asserted) {
  std::vector<Comparison> out;
  for (const auto& [symbol, size] : sample) {
    const Dim dim = Dim::symbol(symbol);
    const bool has_bound =
        std::any_of(asserted.begin(), asserted.end(), [&](const Comparison& each) {
          const Comparison direction = each.right == dim ? mirrored(each) : each;
          return direction.left == dim && direction.right.is_constant() &&
                 (direction.relation == Relation::gt || direction.relation == Relation::ge);
        });
    if (!has_bound) out.push_back({dim, Relation::ge, size == 0 ? 0 : 1});
  }
  return out;
}

namespace {

/// If a remainder of one size is asked for, the axis can be declared that way.
std::string help_for(const Comparison& comparison, const Sizes& sample) {
  const Dim gap = comparison.left - comparison.right;
  const std::vector<Symbol> symbols = gap.symbols();
  const int64_t divisor = period(gap);
  const auto size = symbols.size() == 1 ? sample.find(symbols[0]) : sample.end();
  if (divisor == 1 || size == sample.end())
    return "give a bound that it follows from with --assert, such as one size being the larger";
  const int64_t rest = size->second % divisor;
  return cat("declare what it is a multiple of: --dynamic INPUT:AXIS=", divisor, "*", symbols[0],
             rest == 0 ? "" : cat("+", rest));
}

}  // namespace

/// Records a need about sizes that no engine knows when it starts. A branch is told even if an
/// operator inside of it needs as much: the model computes something else there, and does not fail.
void Assertions::require_at_runtime(const Need& need) {
  const auto follows_also_from = [&](const std::vector<Comparison>& more) {
    std::vector<Comparison> known = all_;
    known.insert(known.end(), more.begin(), more.end());
    return follows(need.comparison, known);
  };
  if (!follows_also_from(runtime_assertions_)) runtime_assertions_.push_back(need.comparison);
  if (!need.is_warned || !report_ || follows_also_from(warned_)) return;
  warned_.push_back(need.comparison);
  if (need.comparison.relation == Relation::ne && need.comparison.right == Dim(0))
    warned_.push_back({need.comparison.left, Relation::ge, 1});  // no size is negative
  Diagnostic warning =
      told(need, cat("the file runs where ", ir::str(ir::as_written(need.comparison)), " only"),
           need.help);
  warning.severity = Severity::warning;
  report_(warning);
}

void Assertions::tell_sign(const Need& need, const Symbol& number) const {
  if (!report_ || need.is_guard) return;
  const Comparison natural = ir::as_written({Dim::symbol(number), Relation::ge, 0});
  Diagnostic warning =
      told(need, cat("the file runs where ", ir::str(natural), " only"),
           "where the number may be negative, choose with torch.where what becomes of it first");
  warning.why =
      "a number that is read from a tensor counts entries, and a branch asks for its sign";
  warning.severity = Severity::warning;
  report_(warning);
}

/// An axis that is declared open, and of which the file would take one size only.
void Assertions::refuse_one_size(const Need& need, const std::vector<Comparison>& added) const {
  for (const Comparison& each : added)
    for (const Symbol& symbol : (each.left - each.right).symbols()) {
      const auto size = sample().find(symbol);
      if (size == sample().end()) continue;
      if (!follows({Dim::symbol(symbol), Relation::eq, size->second}, all_)) continue;
      const std::string only = cat(symbol, " == ", size->second);
      throw Error(told(need, cat("the file would hold for ", only, " only"),
                       cat("let the model do the same at all sizes, or leave the axis out of "
                           "--dynamic; --assert '",
                           only, "' states that it is meant")));
    }
}

void Assertions::add(const Need& need) {
  if (is_unbacked(need.comparison)) return require_at_runtime(need);
  if (follows(need.comparison, all_)) return;
  const auto forms = expressible(need.comparison, seen_, all_);
  if (!forms && need.is_guard) return;
  if (!forms)
    throw Error(
        told(need, cat("the model needs ", ir::str(need.comparison), ", which no file can express"),
             help_for(need.comparison, sample())));
  all_.insert(all_.end(), forms->begin(), forms->end());
  refuse_one_size(need, *forms);
  if (!need.is_warned || !report_ || forms->empty()) return;
  Diagnostic warning = told(need, cat("the file holds for ", comparisons_text(*forms), " only"),
                            "to state that you know it, use --assert");
  warning.severity = Severity::warning;
  report_(warning);
}

void Assertions::add_branch(const Need& need) {
  if (is_unbacked(need.comparison) || holds(need.comparison, sample())) return add(need);
  Diagnostic out = told(need, "a branch depends on a size: it goes another way at other sizes",
                        "compute the same for all sizes, or export a model for each");
  out.id = "dynamic-differs";
  out.why = "NNEF has no branches; a file would hold one way only";
  throw Error(std::move(out));
}

std::vector<Need> branch_needs(const Traced& traced, const Sizes& sample) {
  std::vector<Need> out;
  for (const Decision& decision : traced.decisions) {
    if (!decision.comparison) {
      if (is_open(decision.sizes, traced.graph)) refuse_inexpressible(decision, traced);
      continue;
    }
    Comparison direction = decision.kind == Decision::Kind::loop || decision.direction != 0
                               ? *decision.comparison
                               : negated(*decision.comparison);
    direction.left = over_axes(direction.left, traced.graph);
    direction.right = over_axes(direction.right, traced.graph);
    if (!is_over(direction.left, sample) || !is_over(direction.right, sample))
      refuse_inexpressible(decision, traced);
    out.push_back(
        {direction, place_of(traced, decision), why_needed(decision), true, decision.is_guard});
  }
  return out;
}

std::vector<Need> loop_needs(const ir::Graph& graph, const Sizes& sample) {
  std::vector<Need> out;
  add_lengths(graph, sample, 0, out);  // tract fails on inner loops without an iteration
  return out;
}

void refuse_multiples(const std::vector<Need>& needs, const std::vector<AxisSpec>& axes,
                      const std::vector<Comparison>& known) {
  std::map<Symbol, int64_t> multiples;
  const Need* first = nullptr;
  for (const Need& need : needs) {
    const Comparison& c = need.comparison;
    const Dim gap = c.left - c.right;
    const std::vector<Symbol> symbols = gap.symbols();
    if (c.relation != Relation::eq || symbols.size() != 1 || follows(c, known)) continue;
    if (symbols[0].unbacked() != nullptr) continue;  // of which nothing can be declared
    const int64_t multiple = period(gap);
    const Dim whole = gap.substitute(
        [&](const Symbol& symbol) { return std::optional(Dim(multiple) * Dim::symbol(symbol)); });
    if (multiple == 1 || !follows({whole, Relation::eq, 0}, {})) continue;
    if (first == nullptr) first = &need;
    const auto [found, is_new] = multiples.try_emplace(symbols[0], multiple);
    if (!is_new) found->second = std::lcm(found->second, multiple);
  }
  if (first == nullptr) return;
  std::string declared;
  for (const auto& [symbol, multiple] : multiples)
    declared += (declared.empty() ? "" : " ") + in_multiples(axes, symbol, multiple);
  throw Error(told(*first,
                   cat("the model runs at multiples of ", multiples.begin()->second, " of ",
                       multiples.begin()->first, " only"),
                   cat("declare the multiple itself: ", declared)));
}

}  // namespace t2n::dynamic
