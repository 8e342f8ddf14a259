// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/loops/environment.h"

#include "src/diag/error.h"

namespace t2n::trace {

const c10::IValue& Environment::at(const torch::jit::Value* variable) const {
  const auto found = values_.find(variable);
  T2N_ASSERT(found != values_.end(), "the value %", variable->debugName(), " is not set");
  return found->second;
}

Values Environment::all(at::ArrayRef<torch::jit::Value*> variables) const {
  Values out;
  out.reserve(variables.size());
  for (const torch::jit::Value* each : variables) out.push_back(decisions_.adjusted(at(each)));
  return out;
}

Values Environment::take_results(torch::jit::Block* block) {
  Values out = all(block->outputs());
  for (const torch::jit::Value* output : block->outputs())
    if (output->node()->owningBlock() == block) values_.erase(output);
  return out;
}

void Environment::set_outputs(torch::jit::Node* node, Values values) {
  if (values.size() != node->outputs().size())
    throw Error("forward-failed", cat(node->kind().toQualString(), " gave ", values.size(),
                                      " results, expected ", node->outputs().size()));
  for (size_t i = 0; i < values.size(); ++i)
    if (node->output(i)->hasUses()) values_[node->output(i)] = std::move(values[i]);
}

void Environment::erase(const std::vector<const torch::jit::Value*>& variables) {
  for (const torch::jit::Value* each : variables) values_.erase(each);
}

}  // namespace t2n::trace
