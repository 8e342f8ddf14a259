#include "src/trace/decisions.h"

#include <algorithm>
#include <sstream>

#include "ir/prove.h"
#include "src/diag/error.h"
#include "src/loops/iteration.h"

namespace t2n::trace {
namespace {

using ir::Dim;
using ir::Relation;

/// The remainder of a division by a constant that is not 0 if the condition holds, and what it is
/// divided by.
std::optional<std::pair<Dim, int64_t>> remainder_not_zero(const ir::Comparison& condition) {
  const Dim gap = condition.left - condition.right;
  const bool is_equal = condition.relation == Relation::eq;
  const bool is_at_least = condition.relation == Relation::le || condition.relation == Relation::ge;
  for (const ir::Term& term : gap.terms()) {
    const auto found = term.atoms.size() == 1 ? loops::remainder_of(term.atoms[0]) : std::nullopt;
    if (!found || (is_equal && found->second != 2)) continue;
    // T % 2 == 1, T % 3 >= 1
    const Dim zero = is_equal || is_at_least ? found->first - Dim(1) : found->first;
    const bool is_positive =
        condition.relation == Relation::gt || condition.relation == Relation::ge;
    const bool has_side = condition.relation != Relation::eq && condition.relation != Relation::ne;
    if (gap == zero && (!has_side || is_positive)) return found;
    if (gap == Dim(-1) * zero && (!has_side || !is_positive)) return found;
  }
  return std::nullopt;
}

/// Describes by sizes how many iterations a loop took.
void describe_iterations(Decision& loop, const c10::IValue& trips,
                         const std::vector<c10::IValue>& conditions) {
  const Mark count = mark_of(trips);
  loop.kind = Decision::Kind::loop;
  loop.comparison.reset();
  if (!count) loop.sizes = 0;  // each condition is a decision of its own
  if (!is_size(count) || depends_on_iteration(count)) return;
  // Exactly these iterations; at least these if the loop ended by a condition of its own.
  const bool is_left = !conditions.empty() && !unmarked(conditions.back()).toBool();
  const bool is_none = unmarked(trips).toInt() < 0;
  const Relation relation = is_left ? Relation::ge : is_none ? Relation::le : Relation::eq;
  loop.comparison = {count->size, relation, loop.direction};
}

/// Whether `a * iteration + c relation 0` has the same truth for all iterations but the first.
bool is_settled(Relation relation, int64_t a, int64_t c) {
  const int64_t second = a + c;
  const bool away = a > 0 ? second > 0 : second < 0;
  if (relation == Relation::eq || relation == Relation::ne) return away;
  const bool strict = relation == Relation::lt || relation == Relation::gt;
  const bool towards = (relation == Relation::lt || relation == Relation::le) == (a < 0);
  // The expression moves in one direction, so that its truth no longer changes.
  if (towards) return strict ? away : away || second == 0;
  return strict ? away || second == 0 : away;
}

}  // namespace

std::vector<Decision> Decisions::take_from(size_t first) {
  const auto begin = noted_.begin() + static_cast<int64_t>(first);
  std::vector<Decision> out(begin, noted_.end());
  noted_.erase(begin, noted_.end());
  return out;
}

Decision* Decisions::note(const torch::jit::Node* node, const Mark& mark, int64_t direction,
                          Decision::Kind kind) {
  if (!options_.keep_sizes || !mark || is_data(mark)) return nullptr;
  const ir::Location here = position_.place();
  noted_.push_back({.kind = kind,
                    .id = node,
                    .direction = direction,
                    .comparison = mark->comparison,
                    .sizes = mark->size,
                    .scope = here.scope,
                    .source = here.source});
  return &noted_.back();
}

void Decisions::settle(const Mark& mark, bool answer) {
  if (!mark) return;
  T2N_ASSERT(mark->comparison, "only a comparison can be settled");
  if (depends_on_iteration(mark)) return check_iteration_branch(mark);
  note(position_.node, mark, answer ? 1 : 0);
}

void Decisions::settle_all(const std::vector<ir::Comparison>& comparisons) {
  for (const ir::Comparison& each : comparisons) settle(comparison_mark(each), true);
}

Decision* Decisions::note_number(const torch::jit::Node* node, const Mark& mark,
                                 const c10::IValue& number) {
  if (!options_.keep_sizes || !mark || is_data(mark)) return nullptr;
  if (mark->comparison) {
    settle(mark, unmarked(number).toBool());
    return nullptr;
  }
  if (depends_on_iteration(mark))
    loops::refuse_loop(
        "a number follows from the number of the iteration in a way that the file cannot express",
        loops::kIterationHelp);
  Decision* noted = note(node, mark, 0, Decision::Kind::number);
  const Mark sizes = opaque_mark(mark->size);
  noted->sizes = sizes->size;
  std::ostringstream text;
  text << unmarked(number);
  noted->number = text.str();
  return noted;
}

void Decisions::note_loop(const torch::jit::Node* node, const c10::IValue& trips,
                          const std::vector<c10::IValue>& conditions, int64_t iterations) {
  const Mark count = mark_of(trips);
  const Mark asked = count || conditions.empty() ? count : mark_of(conditions.back());
  if (Decision* noted = note(node, asked, iterations))
    describe_iterations(*noted, trips, conditions);
  // Each on its own, as the last one may follow from no size: `while i < 5 and x.size(0) > 2`.
  for (const c10::IValue& condition : conditions)
    if (const Mark mark = mark_of(condition); !depends_on_iteration(mark))
      note(node, mark, unmarked(condition).toBool() ? 1 : 0);
}

void Decisions::add_later(std::vector<Decision> later, const loops::Rolled& rolled, size_t first) {
  const auto renamed = [&](const Dim& dim) {
    return dim.substitute([&](const ir::Symbol& symbol) -> std::optional<Dim> {
      const ir::Symbol::AxisSize* const size = symbol.axis_size();
      if (size == nullptr) return std::nullopt;
      const std::string own = loops::without_tag(size->value, rolled.tag);
      const auto found = rolled.names.find(own);
      if (found != rolled.names.end())
        return Dim::symbol(ir::Symbol::AxisSize{found->second, size->axis});
      if (own != size->value) return Dim::symbol(ir::Symbol::AxisSize{own, size->axis});
      if (rolled.later.contains(size->value))
        loops::refuse_loop(
            "one of its iterations decides by the size of a tensor that the first does not compute",
            "let all iterations compute the same, and choose with torch.where");
      return std::nullopt;
    });
  };
  for (Decision& decision : later) {
    decision.sizes = renamed(decision.sizes);
    if (auto& asked = decision.comparison)
      asked = ir::Comparison{renamed(asked->left), asked->relation, renamed(asked->right)};
    const auto from = noted_.begin() + static_cast<int64_t>(first);
    if (std::find(from, noted_.end(), decision) == noted_.end())
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
        .message = cat("the branch at ", id, " is baked in the way this run took it"),
        .where = {},
        .details = {},
        .why = cat("its condition comes from ", mark->origin, ", and --accept-guard names it"),
        .help = {}});
  return true;
}

void Decisions::refuse(const torch::jit::Node* node, const Mark& mark, const std::string& reason,
                       bool needs_most) {
  const bool loop = node->kind() == c10::prim::Loop;
  const std::string id = position_.line();
  std::string help =
      loop ? "make the number of iterations a constant or a size of an input"
           : "compute both ways and choose with torch.where, or decide outside of the model";
  if (!id.empty() && needs_most)
    help += cat("; or say how many there are at most: --max-iterations ", id, "=N");
  else if (options_.max_iterations.contains(id))
    help += cat("; --max-iterations ", id, " does not help: something else is in the way");
  if (!id.empty()) help += cat("; to keep the way of this run, give --accept-guard ", id);
  throw Error("data-dependent-branch",
              cat(loop ? "a loop" : "a branch", " depends on the values of a tensor"),
              cat(kConditionOfValues, mark->origin,
                  reason.empty() ? "; a file would hold the way of this one run"
                                 : cat("; no select stands for it, since ", reason)),
              help);
}

Decisions::Fixed::Fixed(Decisions& decisions, const Mark& condition, bool direction, bool holds)
    : decisions_(decisions) {
  if (!condition || !condition->comparison) return;
  const ir::Comparison taken =
      direction ? *condition->comparison : ir::negated(*condition->comparison);
  decisions_.fixed_.push_back({taken, remainder_not_zero(taken), holds});
  any_ = true;
}

Decisions::Fixed::~Fixed() {
  if (any_) decisions_.fixed_.pop_back();
}

c10::IValue Decisions::in_fixed(const c10::IValue& number) const {
  if (fixed_.empty() || !is_size(mark_of(number)) || !unmarked(number).isInt()) return number;
  const Dim size = mark_of(number)->size;
  const int64_t now = unmarked(number).toInt();
  const ir::Comparison is_some{size, Relation::ge, 0};
  for (const Taken& taken : fixed_) {
    if (taken.remainder && size == Dim(taken.remainder->second) - taken.remainder->first) {
      const int64_t divisor = taken.remainder->second;
      return marked(ir::floor_mod_int(now, divisor), size_mark(floor_mod(size, divisor)));
    }
    if (ir::prove(is_some) != ir::Verdict::always &&
        ir::prove(is_some, {&taken.condition, 1}) == ir::Verdict::always)
      return marked(std::max<int64_t>(now, 0), size_mark(ir::max(size, 0)));
  }
  return number;
}

bool changes_with_iteration(const Mark& condition) {
  if (!depends_on_iteration(condition)) return false;
  const auto& asked = condition->comparison;
  const Dim gap = asked ? asked->left - asked->right : Dim(0);
  for (const ir::Symbol& symbol : gap.symbols()) {
    if (!symbol.is_iteration()) continue;
    const Dim c = loops::replaced(gap, symbol, 0), a = loops::replaced(gap, symbol, 1) - c;
    if (a.is_constant() && c.is_constant() && a.value() != 0 &&
        gap == c + a * Dim::symbol(symbol) && is_settled(asked->relation, a.value(), c.value()))
      return false;
  }
  return true;
}

void check_iteration_branch(const Mark& condition, const std::string& reason) {
  if (!changes_with_iteration(condition)) return;
  loops::refuse_loop(
      cat("a branch in it goes another way in some iterations, by the number of the iteration",
          reason.empty() ? "" : cat("; no select stands for it, since ", reason)),
      "only the first iteration may differ (`if t == 0`); compute both ways and choose with "
      "torch.where");
}

}  // namespace t2n::trace
