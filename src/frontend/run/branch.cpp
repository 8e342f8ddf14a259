// Branches on data: both branches run, and a select chooses between their results.
#include "src/diag/error.h"
#include "src/frontend/record/computed_numbers.h"
#include "src/frontend/record/padded.h"
#include "src/frontend/run/interpreter.h"

namespace t2n::trace {
/// The interpreter's position before a branch, to which it returns if the branch throws.
struct Interpreter::Snapshot {
  size_t callers = 0;
  size_t loops = 0;
  size_t rerolling = 0;
  size_t speculation = 0;
  int depth = 0;
  ir::ScopeId scope = 0;
  std::string function;
};

Interpreter::Snapshot Interpreter::snapshot() const {
  return {position_.callers.size(), loops_.depth(),  loops_.rerolling().size(),
          speculation_.depth(),     position_.depth, position_.scope,
          position_.function};
}

void Interpreter::restore(const Snapshot& snapshot) {
  position_.callers.resize(snapshot.callers);
  loops_.leave(snapshot.loops);
  speculation_.leave_to(snapshot.speculation);
  position_.depth = snapshot.depth;
  position_.scope = snapshot.scope;
  position_.function = snapshot.function;
}

/// Runs a block that is taken where `condition` holds; `holds`: whether this run takes it. There is
/// no result if the block has effects that cannot be undone, or fails in a run that does not take
/// it.
OrReason<Interpreter::Values> Interpreter::run_speculatively(torch::jit::Block* block, Env& env,
                                                             const FormulaRef& condition,
                                                             bool holds) {
  const Snapshot before = snapshot();
  speculation_.enter(condition, holds, recorder_->aliases().roots());
  const bool is_run = speculation_.holds();
  Reason reason;
  try {
    run_block(block, env);
    Values out = take_results(block, env);
    speculation_.leave_to(before.speculation);
    return out;
  } catch (const Error& error) {
    const std::string effect = speculation_.take_effect();
    if (effect.empty() && (is_run || error.diagnostic().id != "forward-failed")) throw;
    reason.text =
        cat("the code that depends on it ", effect.empty() ? "fails on these inputs" : effect);
  }
  if (loops_.rerolling().size() != before.rerolling)
    throw Error("data-dependent-branch", "a branch depends on the values of a tensor",
                cat("it cannot become a select: ", reason.text),
                "compute both branches and choose with torch.where");
  restore(before);
  return reason;
}

/// The operands with which an operation also runs where the enclosing branch is not taken.
Interpreter::Values Interpreter::protect(const torch::jit::Node* node,
                                         const c10::FunctionSchema& schema, Values inputs) {
  ComputedNumbers computed(position_, marks_, *recorder_);
  inputs = computed.safe_inputs(schema, speculation_.condition(), std::move(inputs));
  const auto axis = short_axis(schema, inputs);
  if (axis && speculation_.holds()) return inputs;  // torch fails as well
  if (const auto padded = options_.padded.find(node); padded != options_.padded.end())
    return computed.padded(schema, padded->second, speculation_.condition(), std::move(inputs));
  // It fails now, and runs in the next attempt.
  if (axis) needs_padding_->emplace(node, *axis);
  return inputs;
}

/// The results of both branches, with selects between them.
OrReason<Interpreter::Values> Interpreter::select_branches(torch::jit::Node* node,
                                                           const Mark& condition, bool taken,
                                                           Env& env) {
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
