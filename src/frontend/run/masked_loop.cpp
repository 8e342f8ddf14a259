// Loops whose end depends on data. They run the maximum number of iterations, and selects choose
// the values that the program had when the loop ended.
#include <algorithm>

#include "src/frontend/record/computed_numbers.h"
#include "src/frontend/run/interpreter.h"

namespace t2n::trace {
namespace {

FormulaRef both(const FormulaRef& a, const FormulaRef& b) {
  return operation_formula("logical_and", FormulaType::boolean, {a, b});
}

/// The result of what was tried; refuses the loop if there is none.
template <typename T>
T required(const OrReason<T>& result, Decisions& decisions, const torch::jit::Node* node,
           const Mark& mark) {
  if (const auto* const reason = std::get_if<Reason>(&result))
    decisions.refuse_branch(node, mark, reason->text);
  return std::get<T>(result);
}

}  // namespace

/// Whether selects may replace the end of this loop.
bool Interpreter::ends_by_data(const c10::IValue& trips, const c10::IValue& condition) {
  if (recorder_ == nullptr || options_.accepted_guards.contains(position_.line())) return false;
  return is_read(trips) || (is_read(condition) && !is_data(mark_of(trips)));
}

/// The maximum number of iterations of a loop, if anything bounds it.
std::optional<int64_t> Interpreter::iteration_bound(const LoopState& loop) {
  const auto known = options_.max_iterations.find(position_.line());
  std::optional<int64_t> most;
  if (known != options_.max_iterations.end()) most = known->second;
  constexpr int64_t kEndless = INT64_MAX;  // the length of `while`
  const int64_t trips = unmarked(loop.trips).toInt();
  if (is_data(mark_of(loop.trips)) || trips == kEndless) return most;
  return most ? std::min(trips, *most) : trips;
}

/// Whether the loop ends only by its iteration count.
bool Interpreter::is_ended_by_count(const LoopState& loop) const {
  const int64_t trips = unmarked(loop.trips).toInt();
  return !is_data(mark_of(loop.trips)) && loop.iteration >= trips;
}

/// Runs the remaining iterations of a loop as if it continued. `carried`: the values when the loop
/// ended. Returns the number of iterations.
int64_t Interpreter::run_masked(torch::jit::Node* node, LoopState loop, Values& carried, Env& env) {
  torch::jit::Block* const body = node->blocks()[0];
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
      if (is_ended_by_count(loop)) break;
      if (is_active && unmarked(loop.condition).toBool())
        decisions_.refuse_unbounded(node, mark, cat("it takes more than ", *most, " iterations"));
      const FormulaRef ended =
          operation_formula("logical_not", FormulaType::boolean, {both(active, continues)});
      if (options_.met_unbacked_sizes != nullptr) *options_.met_unbacked_sizes = true;
      for (size_t i = 0; i < carried.size(); ++i)
        if (!choices_.require_ended(ended, mark, before[i], carried[i]))
          decisions_.refuse_branch(node, mark, "it carries values that are not tensors or numbers");
      break;
    }
    if (!most && loop.iteration >= kMaxUnbounded)
      decisions_.refuse_unbounded(node, mark, "its maximum number of iterations is unknown");
    if (!continues) decisions_.refuse_branch(node, mark, "the graph cannot compute its condition");
    active = both(active, continues);
    is_active = is_active && unmarked(loop.condition).toBool();
    env[body->inputs()[0]] = loop.iteration;
    for (size_t i = 0; i < next.size(); ++i) env[body->inputs()[i + 1]] = next[i];
    const size_t roots = recorder_->aliases().roots();
    const auto run = run_speculatively(body, env, active, is_active);
    position_.node = node;
    const Values results = required(run, decisions_, node, mark);
    loop.condition = results[0];
    next.assign(results.begin() + 1, results.end());
    const Mark choice = data_mark(origin_of(mark), active);
    Values selected;
    for (size_t i = 0; i < next.size(); ++i) {
      const auto chosen = choices_.choose(choice, is_active, next[i], carried[i]);
      selected.push_back(required(chosen, decisions_, node, mark));
    }
    choices_.forbid_writes(selected, next, carried, roots);
    carried = std::move(selected);
  }
  return loop.iteration;
}

}  // namespace t2n::trace
