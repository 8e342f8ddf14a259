// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/numbers/decisions.h"

#include <algorithm>
#include <sstream>

#include "ir/prove.h"
#include "src/diag/error.h"
#include "src/loops/iteration.h"
#include "src/model/model.h"

namespace t2n::trace {
namespace {

using ir::Dim;
using ir::Relation;

/// A remainder of a division by a constant that is not 0 where the condition holds, and the
/// divisor.
std::optional<std::pair<Dim, int64_t>> remainder_not_zero(const ir::Comparison& condition) {
  const Dim difference = condition.left - condition.right;
  const bool is_equal = condition.relation == Relation::eq;
  const bool is_at_least = condition.relation == Relation::le || condition.relation == Relation::ge;
  for (const ir::Term& term : difference.terms()) {
    const auto found = term.atoms.size() == 1 ? loops::remainder_of(term.atoms[0]) : std::nullopt;
    if (!found || (is_equal && found->second != 2)) continue;
    // T % 2 == 1, T % 3 >= 1
    const Dim zero = is_equal || is_at_least ? found->first - Dim(1) : found->first;
    const bool is_positive =
        condition.relation == Relation::gt || condition.relation == Relation::ge;
    const bool has_side = condition.relation != Relation::eq && condition.relation != Relation::ne;
    if (difference == zero && (!has_side || is_positive)) return found;
    if (difference == Dim(-1) * zero && (!has_side || !is_positive)) return found;
  }
  return std::nullopt;
}

/// Describes the iteration count of a loop in terms of sizes.
void describe_iterations(Decision& loop, const c10::IValue& trips,
                         const std::vector<c10::IValue>& conditions) {
  const Mark count = mark_of(trips);
  loop.kind = Decision::Kind::loop;
  loop.comparison.reset();
  if (!count) loop.sizes = 0;  // each condition is a decision of its own
  if (!is_size(count) || depends_on_iteration(count)) return;
  // Exactly this count; at least this count if the loop ended by its own condition.
  const bool has_break = !conditions.empty() && !unmarked(conditions.back()).toBool();
  const bool is_empty = unmarked(trips).toInt() < 0;
  const Relation relation = has_break ? Relation::ge : is_empty ? Relation::le : Relation::eq;
  loop.comparison = {*exact_size(count), relation, loop.direction};
}

/// Whether `a * iteration + c relation 0` has the same truth for all iterations but the first.
bool is_same_after_first(Relation relation, int64_t slope, int64_t offset) {
  const int64_t second = slope + offset;
  const bool is_past_zero = slope > 0 ? second > 0 : second < 0;
  if (relation == Relation::eq || relation == Relation::ne) return is_past_zero;
  const bool strict = relation == Relation::lt || relation == Relation::gt;
  const bool becomes_true = (relation == Relation::lt || relation == Relation::le) == (slope < 0);
  // The expression is monotonic: past 0, its sign no longer changes.
  if (becomes_true) return strict ? is_past_zero : is_past_zero || second == 0;
  return strict ? is_past_zero || second == 0 : is_past_zero;
}

/// Refuses decisions on the size of a part whose length changes from iteration to iteration: the
/// scan has the entire axis.
void refuse_sizes_of_parts(const std::vector<Decision>& decisions, size_t first,
                           const loops::Rerolled& rerolled) {
  const auto is_part = [&](const Dim& dim) {
    const std::vector<ir::Symbol> symbols = dim.symbols();
    return std::any_of(symbols.begin(), symbols.end(), [&](const ir::Symbol& symbol) {
      const ir::Symbol::AxisSize* const size = symbol.axis_size();
      return size != nullptr &&
             rerolled.parts.contains(loops::without_tag(size->value, rerolled.tag));
    });
  };
  for (size_t i = first; i < decisions.size(); ++i) {
    const auto& condition = decisions[i].comparison;
    if (is_part(decisions[i].sizes) ||
        (condition && (is_part(condition->left) || is_part(condition->right))))
      loops::refuse_loop(
          "it decides by the length of a part that changes from iteration to iteration",
          "decide by the iteration number, or choose with torch.where");
  }
}

}  // namespace

std::vector<Decision> Decisions::take_from(size_t first) {
  const auto begin = noted_.begin() + static_cast<int64_t>(first);
  std::vector<Decision> out(begin, noted_.end());
  noted_.erase(begin, noted_.end());
  return out;
}

Decision* Decisions::note(const Mark& mark, int64_t direction, Decision::Kind kind) {
  if (!options_.keep_sizes || !mark || is_data(mark)) return nullptr;
  const ir::Location here = position_.location();
  noted_.push_back({.kind = kind,
                    .id = position_.node,
                    .direction = direction,
                    .comparison = comparison_of(mark),
                    .sizes = sizes_of(mark),
                    .scope = here.scope,
                    .source = here.source});
  return &noted_.back();
}

void Decisions::add_guard(const Mark& mark, bool answer) {
  if (!mark) return;
  T2N_ASSERT(comparison_of(mark), "a guard needs a comparison");
  if (depends_on_iteration(mark)) return check_iteration_branch(mark);
  note(mark, answer ? 1 : 0);
}

void Decisions::add_guards(const std::vector<ir::Comparison>& comparisons) {
  for (const ir::Comparison& each : comparisons) add_guard(each);
}

Decision* Decisions::note_number(const Mark& mark, const c10::IValue& number) {
  if (!options_.keep_sizes || !mark || is_data(mark)) return nullptr;
  if (comparison_of(mark)) {
    add_guard(mark, unmarked(number).toBool());
    return nullptr;
  }
  if (depends_on_iteration(mark))
    loops::refuse_loop(
        "a number depends on the iteration number in a way that the file cannot express",
        loops::kIterationHelp);
  Decision* noted = note(mark, 0, Decision::Kind::number);
  noted->sizes = sizes_of(opaque_mark(sizes_of(mark)));
  std::ostringstream text;
  text << unmarked(number);
  // A list may hold whole tensors.
  noted->number = number.isList() || number.isTuple() ? "in a list" : text.str();
  return noted;
}

void Decisions::note_loop(const c10::IValue& trips, const std::vector<c10::IValue>& conditions,
                          int64_t iterations) {
  const Mark count = mark_of(trips);
  const Mark cause = count || conditions.empty() ? count : mark_of(conditions.back());
  if (Decision* noted = note(cause, iterations)) describe_iterations(*noted, trips, conditions);
  // Each on its own, as the last one may depend on no size: `while i < 5 and x.size(0) > 2`.
  for (const c10::IValue& condition : conditions)
    if (const Mark mark = mark_of(condition); !depends_on_iteration(mark))
      note(mark, unmarked(condition).toBool() ? 1 : 0);
}

void Decisions::add_later(std::vector<Decision> later, const loops::Rerolled& rerolled,
                          size_t first) {
  refuse_sizes_of_parts(noted_, first, rerolled);
  refuse_sizes_of_parts(later, 0, rerolled);
  const auto renamed = [&](const Dim& dim) {
    return dim.substitute([&](const ir::Symbol& symbol) -> std::optional<Dim> {
      const ir::Symbol::AxisSize* const size = symbol.axis_size();
      if (size == nullptr) return std::nullopt;
      const std::string name = loops::without_tag(size->value, rerolled.tag);
      const auto found = rerolled.names.find(name);
      if (found != rerolled.names.end())
        return Dim::symbol(ir::Symbol::AxisSize{found->second, size->axis});
      if (name != size->value) return Dim::symbol(ir::Symbol::AxisSize{name, size->axis});
      if (rerolled.later.contains(size->value))
        loops::refuse_loop(
            "an iteration branches on the size of a tensor that the first one does not compute",
            "let all iterations compute the same, and choose with torch.where");
      return std::nullopt;
    });
  };
  for (Decision& decision : later) {
    decision.sizes = renamed(decision.sizes);
    if (auto& comparison = decision.comparison)
      comparison = ir::Comparison{renamed(comparison->left), comparison->relation,
                                  renamed(comparison->right)};
    const auto begin = noted_.begin() + static_cast<int64_t>(first);
    if (std::find(begin, noted_.end(), decision) == noted_.end())
      noted_.push_back(std::move(decision));
  }
}

bool Decisions::accept_guard(const Mark& mark) {
  const std::string id = position_.line();
  if (!options_.accepted_guards.contains(id)) return false;
  if (options_.report)
    options_.report(Diagnostic{
        .severity = Severity::warning,
        .id = "data-dependent-branch",
        .message = cat("the branch at ", id, " is fixed in the direction that this run took"),
        .where = {},
        .details = {},
        .why = cat("its condition comes from ", origin_of(mark), ", and --accept-guard names it"),
        .help = {}});
  return true;
}

void Decisions::refuse(const Mark& mark, const std::string& reason, bool needs_bound) {
  const bool loop = position_.node->kind() == c10::prim::Loop;
  const std::string id = position_.line();
  std::string help =
      loop ? "make the number of iterations a constant or a size of an input"
           : "compute both branches and choose with torch.where, or decide outside of the model";
  if (!id.empty() && needs_bound)
    help += cat("; or give an upper bound: --max-iterations ", id, "=N");
  else if (options_.max_iterations.contains(id))
    help += cat("; --max-iterations ", id, " does not help: the loop has another problem");
  if (!id.empty()) help += cat("; to keep this run's direction, pass --accept-guard ", id);
  throw Error("data-dependent-branch",
              cat(loop ? "a loop" : "a branch", " depends on the values of a tensor"),
              cat(kConditionOnValues, origin_of(mark),
                  reason.empty() ? "; the exported model would fix the direction of this run"
                                 : cat("; it cannot become a select: ", reason)),
              help);
}

Decisions::FixedBranch::FixedBranch(Decisions& decisions, const Mark& condition, bool direction,
                                    bool holds, int entries)
    : decisions_(decisions) {
  const auto comparison = comparison_of(condition);
  if (!comparison) return;
  const ir::Comparison taken = direction ? *comparison : ir::negated(*comparison);
  decisions_.fixed_conditions_.push_back({taken, remainder_not_zero(taken), holds, entries});
  any_ = true;
}

Decisions::FixedBranch::~FixedBranch() {
  if (any_) decisions_.fixed_conditions_.pop_back();
}

c10::IValue Decisions::adjusted(const c10::IValue& number) const {
  if (fixed_conditions_.empty() || !is_size(mark_of(number)) || !unmarked(number).isInt())
    return number;
  const Dim size = sizes_of(mark_of(number));
  const int64_t value = unmarked(number).toInt();
  const ir::Comparison is_nonnegative{size, Relation::ge, 0};
  for (const FixedCondition& branch : fixed_conditions_) {
    if (branch.remainder && size == Dim(branch.remainder->second) - branch.remainder->first) {
      const int64_t divisor = branch.remainder->second;
      return marked(ir::floor_mod_int(value, divisor), size_mark(floor_mod(size, divisor)));
    }
    if (ir::prove(is_nonnegative) != ir::Verdict::always &&
        ir::prove(is_nonnegative, {&branch.condition, 1}) == ir::Verdict::always)
      return marked(std::max<int64_t>(value, 0), size_mark(ir::max(size, 0)));
  }
  return number;
}

bool changes_with_iteration(const Mark& condition) {
  if (!depends_on_iteration(condition)) return false;
  const auto comparison = comparison_of(condition);
  const Dim difference = comparison ? comparison->left - comparison->right : Dim(0);
  for (const ir::Symbol& symbol : difference.symbols()) {
    if (!symbol.is_iteration()) continue;
    const Dim offset = loops::replaced(difference, symbol, 0),
              slope = loops::replaced(difference, symbol, 1) - offset;
    if (slope.is_constant() && offset.is_constant() && slope.value() != 0 &&
        difference == offset + slope * Dim::symbol(symbol) &&
        is_same_after_first(comparison->relation, slope.value(), offset.value()))
      return false;
  }
  return true;
}

void check_iteration_branch(const Mark& condition, const std::string& reason) {
  if (!changes_with_iteration(condition)) return;
  loops::refuse_loop(
      cat("a branch in it takes another direction in some iterations, by the iteration number",
          reason.empty() ? "" : cat("; it cannot become a select: ", reason)),
      "only the first iteration may differ (`if t == 0`); compute both branches and choose with "
      "torch.where");
}

}  // namespace t2n::trace
