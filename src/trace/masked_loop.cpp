// Loops whose end follows from data. They run the maximum number of iterations, and selects choose
// the values that the program had when the loop ended.
#include <algorithm>

#include "src/trace/computed_numbers.h"
#include "src/trace/interpreter.h"

namespace t2n::trace {
namespace {

FormulaRef both(const FormulaRef& a, const FormulaRef& b) {
  return operation_formula("logical_and", FormulaType::truth, {a, b});
}

}  // namespace

/// Whether selects may replace the end of this loop.
bool Interpreter::ends_by_data(const c10::IValue& trips, const c10::IValue& condition) {
  if (recorder_ == nullptr || options_.accepted_guards.contains(position_.line())) return false;
  return is_read(trips) || (is_read(condition) && !is_data(mark_of(trips)));
}

/// The maximum number of iterations of a loop, if anything bounds it.
std::optional<int64_t> Interpreter::most_iterations(const LoopState& loop) {
  const auto given = options_.max_iterations.find(position_.line());
  std::optional<int64_t> most;
  if (given != options_.max_iterations.end()) most = given->second;
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

/// Runs the remaining iterations of a loop, each on what the one before left, as if the loop went
/// on. `carried`: the values when the loop ended. Returns the number of iterations.
int64_t Interpreter::run_masked(torch::jit::Node* node, LoopState loop, Values& carried, Env& env) {
  torch::jit::Block* const body = node->blocks()[0];
  const std::optional<int64_t> most = most_iterations(loop);
  const Mark trips = mark_of(loop.trips);
  const Values before = carried;
  Values going = carried;
  FormulaRef active = number_formula(true);
  bool is_active = true;
  std::string reason;
  // A `while` may end by a number of its own, so this many iterations are tried without a message.
  constexpr int64_t kMostUnsaid = 256;
  for (;; ++loop.iteration) {
    Mark mark = mark_of(loop.condition);
    FormulaRef goes_on = formula_of(loop.condition);
    if (is_data(trips)) {
      mark = trips;
      const FormulaRef counted = operation_formula(
          "lt", FormulaType::truth, {number_formula(loop.iteration), trips->formula});
      goes_on = goes_on ? both(goes_on, counted) : nullptr;
      is_active = is_active && loop.iteration < unmarked(loop.trips).toInt();
    }
    if (!is_data(mark) && !unmarked(loop.condition).toBool()) break;
    if (!is_data(mark)) mark = data_mark("the iterations before it");
    if (most && loop.iteration >= *most) {
      if (is_ended_by_count(loop)) break;
      if (is_active && unmarked(loop.condition).toBool())
        decisions_.refuse_endless(node, mark, cat("it takes more than ", *most, " here"));
      const FormulaRef ended =
          operation_formula("logical_not", FormulaType::truth, {both(active, goes_on)});
      if (options_.met_unbacked_sizes != nullptr) *options_.met_unbacked_sizes = true;
      for (size_t i = 0; i < carried.size(); ++i)
        if (!choices_.hold(ended, mark, before[i], carried[i]))
          decisions_.refuse_branch(node, mark, "it carries what is neither tensor nor number");
      break;
    }
    if (!most && loop.iteration >= kMostUnsaid)
      decisions_.refuse_endless(node, mark, "nothing says how many iterations it takes at most");
    if (!goes_on) decisions_.refuse_branch(node, mark, "its condition cannot be computed");
    active = both(active, goes_on);
    is_active = is_active && unmarked(loop.condition).toBool();
    env[body->inputs()[0]] = loop.iteration;
    for (size_t i = 0; i < going.size(); ++i) env[body->inputs()[i + 1]] = going[i];
    const size_t known = recorder_->aliases().roots();
    auto made = run_speculatively(body, env, active, is_active, reason);
    position_.node = node;
    if (!made) decisions_.refuse_branch(node, mark, reason);
    loop.condition = (*made)[0];
    going.assign(made->begin() + 1, made->end());
    const Mark choice = data_mark(mark->origin, active);
    Values left;
    for (size_t i = 0; i < going.size(); ++i) {
      const auto chosen = choices_.choose(choice, is_active, going[i], carried[i], reason);
      if (!chosen) decisions_.refuse_branch(node, mark, reason);
      left.push_back(*chosen);
    }
    choices_.forbid_writes(left, going, carried, known);
    carried = std::move(left);
  }
  return loop.iteration;
}

}  // namespace t2n::trace
