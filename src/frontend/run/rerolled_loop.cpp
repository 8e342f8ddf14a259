// Loops of dynamic length. They run iteration by iteration, like all loops, and are recorded as one
// scan.
#include <algorithm>

#include "src/diag/error.h"
#include "src/frontend/run/interpreter.h"
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

}  // namespace

Dim expression(const c10::IValue& value) {
  return size_or(mark_of(value), unmarked(value).toInt());
}

namespace {

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

}  // namespace

/// Runs one iteration. The numbers that depend on the iteration are symbols.
void Interpreter::run_iteration(Block* body, Env& env, RerolledLoop& loop) {
  const Dim iteration = Dim::symbol(loop.symbol);
  loops_.begin_iteration(loop);
  env[body->inputs()[0]] = marked(c10::IValue(loop.iterations), size_mark(iteration));
  for (size_t i = 0; i < loop.carried.size(); ++i) {
    if (loop.steps[i])
      loop.carried[i] = marked(loop.carried[i], size_mark(expression(loop.initial[i]) +
                                                          Dim(*loop.steps[i]) * iteration));
    env[body->inputs()[i + 1]] = loop.carried[i];
  }
  const torch::jit::Node* node = position_.node;
  run_block(body, env);
  recorder_->flush_writes();
  position_.node = node;
  Values results = take_results(body, env);
  loop.condition = results[0];
  loops_.end_iteration(loop, Values(results.begin() + 1, results.end()));
  recorded_loops_->end_iteration();
}

void Interpreter::run_rerolled(Node* node, Env& env) {
  Block* body = node->blocks()[0];
  const Values initial = values(node->inputs().slice(2), env);
  RerolledLoop loop(ir::Symbol::Iteration{static_cast<int64_t>(loops_.depth())});
  loop.trips = value(node->input(0), env);
  loop.condition = value(node->input(1), env);
  loop.initial = loop.carried = initial;
  loop.steps = induction_steps(body);
  loops_.begin_rerolled(loop);
  recorder_->flush_writes();
  recorded_loops_->begin(loop.symbol);
  const size_t before = decisions_.size();
  size_t decisions = before;
  std::vector<Decision> later_decisions;
  for (;; ++loop.iterations) {
    position_.node = node;
    for (const Mark& mark : {mark_of(loop.trips), mark_of(loop.condition)})
      if (is_data(mark)) decisions_.refuse_branch(node, mark);
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
  const loops::Rerolled rerolled = recorded_loops_->end(length, position_.location());
  decisions_.add_later(std::move(later_decisions), rerolled, before);
  decisions_.add_guards(rerolled.conditions);
  const ChangedLists lists = loops_.end_rerolled();
  lists_.guard_accesses(loop, length);
  loops_.guard_iteration_ends(loop, length);
  loops_.mark_carried(loop, lists, length);
  // Any other result of the iterations exists only if there is at least one.
  const bool may_be_empty = !rerolled.has_first && lists.empty() && changes_only_tensors(loop);
  const Mark any = condition_mark({length, Relation::ge, Dim(may_be_empty ? 0 : 1)});
  if (!depends_on_iteration(any)) decisions_.add_guard(any, true);
  set_outputs(node, env, std::move(loop.carried));
}

}  // namespace t2n::trace
