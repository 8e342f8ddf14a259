// SPDX-License-Identifier: Apache-2.0
// Runs that go on after refusals, to find all of them.
#include <algorithm>
#include <utility>

#include "src/diag/error.h"
#include "src/frontend/run/interpreter.h"

namespace t2n::trace {

namespace prim = c10::prim;
using torch::jit::Block;
using torch::jit::Node;

/// Runs a node, or goes on without it. In a speculative branch an error is an answer, not a
/// refusal: the caller does not call this there.
void Interpreter::survey_node(Node* node, Environment& env) {
  const CallStack calls = position_.calls;
  const size_t loops = running_.depth();
  const bool is_operation = node->maybeSchema() != nullptr;
  const Values operands = is_operation ? env.all(node->inputs()) : Values();
  try {
    run_any(node, env);
    if (is_operation && reads_data(node, env)) surveyor_->keep(operands);
    return;
  } catch (const Error& error) {
    if (!surveyor_->is_refusal(error)) throw;
    surveyor_->note(explained(error.diagnostic()));
  }
  position_.calls = calls;
  position_.node = node;
  running_.leave(loops);
  branches_.speculation().leave_to(0);
  branches_.speculation().take_effect();
  surveyor_->keep(operands);
  if (node->kind() == prim::If)
    run_taken(node, env);
  else if (node->kind() == prim::Loop)
    run_iterations(node, env);
  else
    env.set_outputs(node, surveyor_->results_of(node, operands));
}

/// Whether a result is a number that depends on data.
bool Interpreter::reads_data(const Node* node, const Environment& env) {
  for (const torch::jit::Value* output : node->outputs())
    if (output->hasUses() && !output->type()->isSubtypeOf(*c10::TensorType::get()) &&
        is_data(mark_of(env.at(output))))
      return true;
  return false;
}

/// Runs the branch that this run's values take.
void Interpreter::run_taken(Node* node, Environment& env) {
  Block* block = node->blocks()[unmarked(env.at(node->input(0))).toBool() ? 0 : 1];
  run_block(block, env);
  env.set_outputs(node, env.take_results(block));
}

/// Runs a loop as this run's values end it, but for its first iterations only: further ones, which
/// may have no end, repeat the same refusals.
void Interpreter::run_iterations(Node* node, Environment& env) {
  constexpr int64_t kMost = 8;
  Block* body = node->blocks()[0];
  const int64_t trips = std::min(kMost, unmarked(env.at(node->input(0))).toInt());
  bool goes_on = unmarked(env.at(node->input(1))).toBool();
  Values carried = env.all(node->inputs().slice(2));
  for (int64_t i = 0; goes_on && i < trips; ++i) {
    env[body->inputs()[0]] = c10::IValue(i);
    for (size_t k = 0; k < carried.size(); ++k) env[body->inputs()[k + 1]] = std::move(carried[k]);
    run_block(body, env);
    Values results = env.take_results(body);
    goes_on = unmarked(results[0]).toBool();
    carried.assign(results.begin() + 1, results.end());
  }
  env.set_outputs(node, std::move(carried));
}

}  // namespace t2n::trace
