// Loops of dynamic length. They run iteration by iteration, as all loops do, and are recorded as
// one scan.
#include <algorithm>

#include "src/diag/error.h"
#include "src/loops/iteration.h"
#include "src/trace/interpreter.h"

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

/// How many iterations `while` takes, from the condition after an iteration: left + step *
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

Dim loop_length(const RolledLoop& loop) {
  const Mark trips = mark_of(loop.trips);
  if (is_size(trips)) return trips->size;
  const Mark condition = mark_of(loop.condition);
  if (condition && condition->comparison)
    if (const auto count = iterations_of_while(*condition->comparison, loop.symbol)) return *count;
  loops::refuse_loop("how many iterations it takes cannot be told from its condition",
                     "use `for t in range(n)`, or let a number grow by one up to a size");
}

}  // namespace

Dim expression(const c10::IValue& value) {
  const Mark mark = mark_of(value);
  return is_size(mark) ? mark->size : Dim(unmarked(value).toInt());
}

namespace {

/// Whether all that a loop leaves are carried tensors of the shapes that they had before it:
/// without an iteration they are what they were.
bool leaves_only_tensors(const RolledLoop& loop) {
  const auto is_kept = [](const c10::IValue& before, const c10::IValue& after) {
    return before.isTensor() && after.isTensor() && before.toTensor().defined() &&
           after.toTensor().defined() && before.toTensor().sizes() == after.toTensor().sizes() &&
           before.toTensor().scalar_type() == after.toTensor().scalar_type();
  };
  return loop.written.empty() && std::equal(loop.initial.begin(), loop.initial.end(),
                                            loop.carried.begin(), loop.carried.end(), is_kept);
}

}  // namespace

/// Runs one iteration, in which symbols stand for the numbers that depend on the iteration.
void Interpreter::run_iteration(Block* body, Env& env, RolledLoop& loop) {
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
  recorder_->settle_writes();
  position_.node = node;
  Values results = take_results(body, env);
  loop.condition = results[0];
  loops_.end_iteration(loop, Values(results.begin() + 1, results.end()));
  recorded_loops_->end_iteration();
}

void Interpreter::run_rolled(Node* node, Env& env) {
  Block* body = node->blocks()[0];
  const Values initial = values(node->inputs().slice(2), env);
  RolledLoop loop(ir::Symbol::Iteration{static_cast<int64_t>(loops_.depth())});
  loop.trips = value(node->input(0), env);
  loop.condition = value(node->input(1), env);
  loop.initial = loop.carried = initial;
  loop.steps = induction_steps(body);
  loops_.begin_rolled(loop);
  recorder_->settle_writes();
  recorded_loops_->begin(loop.symbol);
  const size_t before = decisions_.size();
  size_t decisions = before;
  std::vector<Decision> later;
  for (;; ++loop.iterations) {
    position_.node = node;
    for (const Mark& mark : {mark_of(loop.trips), mark_of(loop.condition)})
      if (is_data(mark)) decisions_.refuse_branch(node, mark);
    if (loop.iterations >= unmarked(loop.trips).toInt() || !unmarked(loop.condition).toBool())
      break;
    run_iteration(body, env, loop);
    if (loop.iterations == 0) decisions = decisions_.size();
    for (Decision& each : decisions_.take_from(decisions)) later.push_back(std::move(each));
  }
  loops::require_iterations(loop.iterations);  // without one, nothing tells the loop's length
  const Dim length = loop_length(loop);
  if (depends_on_iteration(size_mark(length)))
    loops::refuse_loop(
        "how many iterations it takes follows from the iteration of a loop around it",
        "let it take as many iterations in each iteration of the loop around it");
  const loops::Rolled rolled = recorded_loops_->end(length, position_.place());
  decisions_.add_later(std::move(later), rolled, before);
  decisions_.settle_all(rolled.conditions);
  const ChangedLists lists = loops_.end_rolled();
  lists_.settle_accesses(loop, length);
  loops_.settle_iteration_ends(loop, length);
  loops_.follow_carried(loop, lists, length);
  // What else the iterations leave exists only if there is at least one.
  const bool leaves_states = !rolled.has_first && lists.empty() && leaves_only_tensors(loop);
  const Mark any = comparison_mark({length, Relation::ge, Dim(leaves_states ? 0 : 1)});
  if (!depends_on_iteration(any)) decisions_.settle(any, true);
  set_outputs(node, env, std::move(loop.carried));
}

}  // namespace t2n::trace
