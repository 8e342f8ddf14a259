// SPDX-License-Identifier: Apache-2.0
// Branches on data: both branches run, and a select chooses between their results.
#include "src/frontend/loops/branches.h"

#include <algorithm>
#include <functional>

#include "src/diag/error.h"
#include "src/frontend/loops/padded.h"
#include "src/frontend/loops/safe_operands.h"
#include "src/frontend/record/computed_numbers.h"
#include "src/model/model.h"

namespace t2n::trace {
namespace {

namespace prim = c10::prim;
using torch::jit::Block;
using torch::jit::Node;

/// True for a block that always raises an exception: the failing branch of an assert.
bool only_raises(const Block* block) {
  return std::any_of(block->nodes().begin(), block->nodes().end(),
                     [](const Node* node) { return node->kind() == prim::RaiseException; });
}

/// True for a block without results and effects: it only warns, or tests whether to raise.
bool has_no_effect(const Block* block) {
  const std::initializer_list<torch::jit::NodeKind> silent = {
      c10::aten::warn, prim::Constant, prim::ListConstruct, prim::TupleConstruct, prim::ListUnpack};
  return std::all_of(block->nodes().begin(), block->nodes().end(), [&](const Node* node) {
    if (std::find(silent.begin(), silent.end(), node->kind()) != silent.end()) return true;
    if (node->kind() == prim::If)
      return node->outputs().empty() &&
             std::all_of(node->blocks().begin(), node->blocks().end(), [](const Block* each) {
               return only_raises(each) || has_no_effect(each);
             });
    const c10::FunctionSchema* schema = node->maybeSchema();
    return schema != nullptr && !schema->is_mutable() && node->blocks().empty() &&
           !node->hasSideEffects() && !node->isNondeterministic();
  });
}

/// Runs the failing branch of an assert. Its error names the values of the condition.
void run_raising(const Mark& condition, const std::function<void()>& run) {
  try {
    run();
  } catch (const Error& error) {
    Diagnostic out = error.diagnostic();
    if (out.id != "forward-failed" || !out.why.empty()) throw;
    out.why = cat(kConditionOnValues, origin_of(condition));
    throw Error(std::move(out));
  }
}

}  // namespace

void Branches::run(Node* node, Environment& env) {
  const c10::IValue condition = env.at(node->input(0));
  const Mark mark = mark_of(condition);
  const auto fixed = options_.fixed_branches.find(node);
  const bool is_fixed = fixed != options_.fixed_branches.end() && mark && !is_data(mark);
  const bool taken = is_fixed ? fixed->second != 0 : unmarked(condition).toBool();
  Block* block = node->blocks()[taken ? 0 : 1];
  Block* other = node->blocks()[taken ? 1 : 0];
  if (node->outputs().empty() && has_no_effect(block) && has_no_effect(other))
    return run_block_(block, env);
  // A branch that raises an exception for invalid values is not a branch of the program.
  if (is_data(mark) && !only_raises(other) && !only_raises(block)) {
    auto selected = select(node, mark, taken, env);
    if (auto* const results = std::get_if<Values>(&selected))
      return env.set_outputs(node, std::move(*results));
    position_.node = node;
    if (!decisions_.accept_guard(mark))
      decisions_.refuse_branch(mark, std::get<Reason>(selected).text);
  }
  std::string reason;
  const bool by_iteration = changes_with_iteration(mark) && !only_raises(block);
  if (recorder_ != nullptr && (by_iteration || options_.selected_branches.contains(node)) &&
      truth_of(mark) && !only_raises(other)) {
    const Mark selector = data_mark(
        by_iteration ? "the iteration number" : "a size that depends on values", truth_of(mark));
    auto selected = select(node, selector, taken, env);
    if (auto* const results = std::get_if<Values>(&selected))
      return env.set_outputs(node, std::move(*results));
    reason = std::get<Reason>(selected).text;
    position_.node = node;
  }
  check_iteration_branch(mark, reason);
  if (!depends_on_iteration(mark))
    if (Decision* noted = decisions_.note(mark, taken ? 1 : 0)) {
      noted->is_guard = only_raises(other);
      noted->reason = reason;
    }
  if (is_data(mark) && only_raises(block))
    return run_raising(mark, [&] { run_block_(block, env); });
  const Decisions::FixedBranch fixed_branch(decisions_, is_fixed ? mark : nullptr, taken,
                                            unmarked(condition).toBool() == taken,
                                            recorder_ ? recorder_->aliases().entries() : 0);
  run_block_(block, env);
  env.set_outputs(node, env.take_results(block));
}

OrReason<Values> Branches::run_speculatively(Block* block, Environment& env,
                                             const FormulaRef& condition, bool holds) {
  const CallStack calls = position_.calls;
  const size_t loops = running_.depth(), rerolling = running_.rerolling().size(),
               depth = speculation_.depth();
  speculation_.enter(condition, holds, recorder_->aliases().roots());
  const bool is_run = speculation_.holds();
  Reason reason;
  try {
    run_block_(block, env);
    Values out = env.take_results(block);
    speculation_.leave_to(depth);
    return out;
  } catch (const Error& error) {
    const std::string effect = speculation_.take_effect();
    if (effect.empty() && (is_run || error.diagnostic().id != "forward-failed")) throw;
    reason.text =
        cat("the code that depends on it ", effect.empty() ? "fails on these inputs" : effect);
  }
  if (running_.rerolling().size() != rerolling)
    throw Error("data-dependent-branch", "a branch depends on the values of a tensor",
                cat("it cannot become a select: ", reason.text),
                "compute both branches and choose with torch.where");
  position_.calls = calls;
  running_.leave(loops);
  speculation_.leave_to(depth);
  return reason;
}

Values Branches::protect(const Node* node, const c10::FunctionSchema& schema, Values inputs) {
  ComputedNumbers computed(position_, marks_, recorder_);
  inputs = safe_inputs(computed, schema, speculation_.condition(), std::move(inputs));
  const auto axis = short_axis(schema, inputs);
  if (axis && speculation_.holds()) return inputs;  // torch fails as well
  if (const auto padded = options_.padded.find(node); padded != options_.padded.end())
    return padded_inputs(computed, schema, padded->second, speculation_.condition(),
                         std::move(inputs));
  // It fails now, and runs in the next attempt.
  if (axis) recording_->needs_padding.emplace(node, *axis);
  return inputs;
}

/// The results of both branches, with selects between them.
OrReason<Values> Branches::select(Node* node, const Mark& condition, bool taken, Environment& env) {
  const FormulaRef formula = data_formula(condition);
  if (!formula) return Reason{};
  const auto blocks = node->blocks();
  const size_t roots_before = recorder_->aliases().roots();
  const auto yes = run_speculatively(blocks[0], env, formula, taken);
  if (const auto* const reason = std::get_if<Reason>(&yes)) return *reason;
  const auto no = run_speculatively(
      blocks[1], env, operation_formula("logical_not", FormulaType::boolean, {formula}), !taken);
  if (const auto* const reason = std::get_if<Reason>(&no)) return *reason;
  const Values &if_true = std::get<Values>(yes), &if_false = std::get<Values>(no);
  position_.node = node;
  Values out;
  for (size_t i = 0; i < if_true.size(); ++i) {
    auto chosen = choices_.choose(condition, taken, if_true[i], if_false[i]);
    if (const auto* const reason = std::get_if<Reason>(&chosen)) return *reason;
    out.push_back(std::get<c10::IValue>(std::move(chosen)));
  }
  choices_.forbid_writes(out, if_true, if_false, roots_before);
  return out;
}

}  // namespace t2n::trace
