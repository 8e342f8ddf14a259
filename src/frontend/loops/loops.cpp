// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/loops/loops.h"

#include <algorithm>

#include "src/diag/error.h"
#include "src/frontend/numbers/number_rules.h"
#include "src/frontend/record/computed_numbers.h"
#include "src/loops/iteration.h"

namespace t2n::trace {
namespace {

using ir::Dim;
using ir::Relation;
using torch::jit::Block;
using torch::jit::Node;
using Steps = std::vector<std::optional<int64_t>>;

/// `count += 1`: the constant that each iteration adds to a carried integer.
Steps induction_steps(Block* body) {
  Steps out;
  for (size_t i = 1; i < body->outputs().size(); ++i) {
    out.emplace_back();
    const Node* node = body->outputs()[i]->node();
    const bool adds = node->kind() == c10::aten::add;
    if ((!adds && node->kind() != c10::aten::sub) || node->inputs().size() != 2 ||
        node->owningBlock() != body || node->input(0) != body->inputs()[i])
      continue;
    const auto step = torch::jit::toIValue(node->input(1));
    if (step && step->isInt()) out.back() = adds ? step->toInt() : -step->toInt();
  }
  return out;
}

/// The number of iterations of a `while`, from the condition after an iteration: left + step *
/// iteration < right.
std::optional<Dim> iterations_of_while(const ir::Comparison& condition, const ir::Symbol& symbol) {
  Dim gap = condition.right - condition.left;
  Relation relation = condition.relation;
  Dim step = loops::replaced(gap, symbol, 0) - loops::replaced(gap, symbol, 1);
  if (relation == Relation::gt || relation == Relation::ge) {
    gap = Dim(-1) * gap;
    step = Dim(-1) * step;
    relation = mirrored(relation);
  }
  if (!step.is_constant() || step.value() <= 0) return std::nullopt;
  const Dim first = loops::replaced(gap, symbol, 0);
  if (relation == Relation::le) return floor_div(first, step) + Dim(2);
  if (relation == Relation::lt || (relation == Relation::ne && step == Dim(1)))
    return floor_div(first + step - Dim(1), step) + Dim(1);
  return std::nullopt;
}

Dim loop_length(const RerolledLoop& loop) {
  const Mark trips = mark_of(loop.trips), condition = mark_of(loop.condition);
  if (const auto length = exact_size(trips)) return *length;
  if (const auto comparison = comparison_of(condition))
    if (const auto count = iterations_of_while(*comparison, loop.symbol)) return *count;
  loops::refuse_loop("its number of iterations cannot be derived from its condition",
                     "use `for t in range(n)`, or increment a number by one up to a size");
}

/// Whether the loop only changes carried tensors, and keeps their shapes: without an iteration they
/// keep their initial values.
bool changes_only_tensors(const RerolledLoop& loop) {
  const auto is_kept = [](const c10::IValue& before, const c10::IValue& after) {
    return before.isTensor() && after.isTensor() && before.toTensor().defined() &&
           after.toTensor().defined() && before.toTensor().sizes() == after.toTensor().sizes() &&
           before.toTensor().scalar_type() == after.toTensor().scalar_type();
  };
  return loop.written.empty() && std::equal(loop.initial.begin(), loop.initial.end(),
                                            loop.carried.begin(), loop.carried.end(), is_kept);
}

FormulaRef both(const FormulaRef& a, const FormulaRef& b) {
  return operation_formula("logical_and", FormulaType::boolean, {a, b});
}

/// The result of what was tried; refuses the loop if there is none.
template <typename T>
T required(const OrReason<T>& result, Decisions& decisions, const Mark& mark) {
  if (const auto* const reason = std::get_if<Reason>(&result))
    decisions.refuse_branch(mark, reason->text);
  return std::get<T>(result);
}

}  // namespace

void Loops::run(Node* node, Environment& env) {
  if (recorder_ != nullptr && options_.rerolled_loops.contains(node))
    return run_rerolled(node, env);
  const c10::IValue trips = env.at(node->input(0));
  c10::IValue condition = env.at(node->input(1));
  Values carried = env.all(node->inputs().slice(2));
  Block* body = node->blocks()[0];
  running_.begin();
  loops::NoteTaker* const notes =
      options_.notes_loops && recorded_loops_ != nullptr ? &recorded_loops_->notes() : nullptr;
  if (notes != nullptr) {
    recorder_->flush_writes();
    notes->begin_loop(node);
  }
  Values conditions;
  int64_t iteration = 0;
  for (;; ++iteration) {
    position_.node = node;
    if (ends_by_data(trips, condition)) {
      iteration = run_masked(node, {trips, condition, iteration}, carried, env);
      conditions.emplace_back(true);
      break;
    }
    for (const Mark& mark : {mark_of(trips), mark_of(condition)})
      if (is_data(mark) && !decisions_.accept_guard(mark)) decisions_.refuse_branch(mark);
    if (iteration >= unmarked(trips).toInt()) break;
    conditions.push_back(condition);
    if (!unmarked(condition).toBool()) break;
    env[body->inputs()[0]] = c10::IValue(iteration);
    for (size_t i = 0; i < carried.size(); ++i) env[body->inputs()[i + 1]] = std::move(carried[i]);
    branches_.run_block(body, env);
    Values results = env.take_results(body);
    condition = results[0];
    carried.assign(results.begin() + 1, results.end());
    if (notes != nullptr) {
      recorder_->flush_writes();
      notes->end_iteration();
    }
  }
  if (notes != nullptr) notes->end_loop();
  const ChangedLists lists = running_.end();
  decisions_.note_loop(trips, conditions, iteration);
  running_.mark_list_lengths(lists, iteration, mark_of(trips));
  env.set_outputs(node, std::move(carried));
}

/// Runs one iteration. The numbers that depend on the iteration are symbols.
void Loops::run_iteration(Block* body, Environment& env, RerolledLoop& loop) {
  const Dim iteration = Dim::symbol(loop.symbol);
  running_.begin_iteration(loop);
  env[body->inputs()[0]] = marked(c10::IValue(loop.iterations), size_mark(iteration));
  for (size_t i = 0; i < loop.carried.size(); ++i) {
    if (loop.steps[i])
      loop.carried[i] = marked(loop.carried[i], size_mark(expression(loop.initial[i]) +
                                                          Dim(*loop.steps[i]) * iteration));
    env[body->inputs()[i + 1]] = loop.carried[i];
  }
  const Node* node = position_.node;
  branches_.run_block(body, env);
  recorder_->flush_writes();
  position_.node = node;
  Values results = env.take_results(body);
  loop.condition = results[0];
  running_.end_iteration(loop, Values(results.begin() + 1, results.end()));
  recorded_loops_->end_iteration();
}

void Loops::run_rerolled(Node* node, Environment& env) {
  Block* body = node->blocks()[0];
  RerolledLoop loop(ir::Symbol::Iteration{static_cast<int64_t>(running_.depth())});
  loop.trips = env.at(node->input(0));
  loop.condition = env.at(node->input(1));
  loop.initial = loop.carried = env.all(node->inputs().slice(2));
  loop.steps = induction_steps(body);
  running_.begin_rerolled(loop);
  recorder_->flush_writes();
  recorded_loops_->begin(loop.symbol);
  const size_t before = decisions_.size();
  size_t decisions = before;
  std::vector<Decision> later_decisions;
  for (;; ++loop.iterations) {
    position_.node = node;
    for (const Mark& mark : {mark_of(loop.trips), mark_of(loop.condition)})
      if (is_data(mark)) decisions_.refuse_branch(mark);
    if (loop.iterations >= unmarked(loop.trips).toInt() || !unmarked(loop.condition).toBool())
      break;
    run_iteration(body, env, loop);
    if (loop.iterations == 0) decisions = decisions_.size();
    for (Decision& each : decisions_.take_from(decisions))
      later_decisions.push_back(std::move(each));
  }
  loops::require_iterations(loop.iterations);  // without one, the loop's length is unknown
  const Dim length = loop_length(loop);
  if (depends_on_iteration(size_mark(length)))
    loops::refuse_loop(
        "its number of iterations depends on the iteration of an enclosing loop",
        "give it the same number of iterations in each iteration of the enclosing loop");
  const loops::Rerolled rerolled =
      recorded_loops_->end(length, position_.location(), options_.padded.contains(node));
  if (rerolled.has_rest) needs_padding_->emplace(node, 0);
  decisions_.add_later(std::move(later_decisions), rerolled, before);
  decisions_.add_guards(rerolled.conditions);
  const ChangedLists lists = running_.end_rerolled();
  lists_.guard_accesses(loop, length);
  running_.guard_iteration_ends(loop, length);
  running_.mark_carried(loop, lists, length);
  // Any other result of the iterations exists only if there is at least one.
  const bool may_be_empty = !rerolled.has_first && lists.empty() && changes_only_tensors(loop);
  const Mark any = condition_mark({length, Relation::ge, Dim(may_be_empty ? 0 : 1)});
  if (!depends_on_iteration(any)) decisions_.add_guard(any, true);
  env.set_outputs(node, std::move(loop.carried));
}

/// Whether selects may replace the end of this loop.
bool Loops::ends_by_data(const c10::IValue& trips, const c10::IValue& condition) {
  if (recorder_ == nullptr || options_.accepted_guards.contains(position_.line())) return false;
  return is_read(trips) || (is_read(condition) && !is_data(mark_of(trips)));
}

/// The maximum number of iterations of a loop, if anything bounds it.
std::optional<int64_t> Loops::iteration_bound(const State& loop) {
  const auto known = options_.max_iterations.find(position_.line());
  std::optional<int64_t> most;
  if (known != options_.max_iterations.end()) most = known->second;
  constexpr int64_t kEndless = INT64_MAX;  // the length of `while`
  const int64_t trips = unmarked(loop.trips).toInt();
  if (is_data(mark_of(loop.trips)) || trips == kEndless) return most;
  return most ? std::min(trips, *most) : trips;
}

/// Runs the remaining iterations of a loop as if it continued. `carried`: the values when the loop
/// ended. Returns the number of iterations.
int64_t Loops::run_masked(Node* node, State loop, Values& carried, Environment& env) {
  Block* const body = node->blocks()[0];
  const std::optional<int64_t> most = iteration_bound(loop);
  const Mark trips = mark_of(loop.trips);
  const Values before = carried;
  Values next = carried;
  FormulaRef active = number_formula(true);
  bool is_active = true;
  // A `while` may end by a plain number, so this many iterations run before it is refused.
  constexpr int64_t kMaxUnbounded = 256;
  for (;; ++loop.iteration) {
    Mark mark = mark_of(loop.condition);
    FormulaRef continues = formula_of(loop.condition);
    if (is_data(trips)) {
      mark = trips;
      const FormulaRef in_range = operation_formula(
          "lt", FormulaType::boolean, {number_formula(loop.iteration), data_formula(trips)});
      continues = continues ? both(continues, in_range) : nullptr;
      is_active = is_active && loop.iteration < unmarked(loop.trips).toInt();
    }
    if (!is_data(mark) && !unmarked(loop.condition).toBool()) break;
    if (!is_data(mark)) mark = data_mark("earlier iterations");
    if (most && loop.iteration >= *most) {
      if (!is_data(trips) && loop.iteration >= unmarked(loop.trips).toInt()) break;  // by its count
      if (is_active && unmarked(loop.condition).toBool())
        decisions_.refuse_unbounded(mark, cat("it takes more than ", *most, " iterations"));
      const FormulaRef ended =
          operation_formula("logical_not", FormulaType::boolean, {both(active, continues)});
      if (options_.met_unbacked_sizes != nullptr) *options_.met_unbacked_sizes = true;
      for (size_t i = 0; i < carried.size(); ++i)
        if (!branches_.choices().require_ended(ended, mark, before[i], carried[i]))
          decisions_.refuse_branch(mark, "it carries values that are not tensors or numbers");
      break;
    }
    if (!most && loop.iteration >= kMaxUnbounded)
      decisions_.refuse_unbounded(mark, "its maximum number of iterations is unknown");
    if (!continues) decisions_.refuse_branch(mark, "the graph cannot compute its condition");
    active = both(active, continues);
    is_active = is_active && unmarked(loop.condition).toBool();
    env[body->inputs()[0]] = loop.iteration;
    for (size_t i = 0; i < next.size(); ++i) env[body->inputs()[i + 1]] = next[i];
    const size_t roots = recorder_->aliases().roots();
    const auto run = branches_.run_speculatively(body, env, active, is_active);
    position_.node = node;
    const Values results = required(run, decisions_, mark);
    loop.condition = results[0];
    next.assign(results.begin() + 1, results.end());
    const Mark choice = data_mark(origin_of(mark), active);
    Values selected;
    for (size_t i = 0; i < next.size(); ++i) {
      const auto chosen = branches_.choices().choose(choice, is_active, next[i], carried[i]);
      selected.push_back(required(chosen, decisions_, mark));
    }
    branches_.choices().forbid_writes(selected, next, carried, roots);
    carried = std::move(selected);
  }
  return loop.iteration;
}

}  // namespace t2n::trace
