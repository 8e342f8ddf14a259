// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/run/liveness.h"

namespace t2n::trace {
namespace {

using torch::jit::Block;
using torch::jit::Node;
using torch::jit::Value;

/// The node of `block` that contains a use: the user itself, or a node with a block around it.
Node* node_within(Node* user, const Block* block) {
  while (user->owningBlock() != block) user = user->owningBlock()->owningNode();
  return user;
}

}  // namespace

void Liveness::analyse(Block* block) {
  const auto add = [&](const Value* value, Node* producer) {
    Node* last = producer;
    for (const torch::jit::Use& use : value->uses()) {
      Node* user = node_within(use.user, block);
      if (user->kind() == c10::prim::Return) return;
      if (last == nullptr || user->isAfter(last)) last = user;
    }
    if (last != nullptr) ends_[last].push_back(value);
  };
  for (const Value* input : block->inputs()) add(input, nullptr);
  for (Node* node : block->nodes())
    for (const Value* output : node->outputs()) add(output, node);
}

const std::vector<const Value*>& Liveness::ends_at(Node* node) {
  static const std::vector<const Value*> none;
  if (known_.try_emplace(node->owningBlock(), true).second) analyse(node->owningBlock());
  const auto found = ends_.find(node);
  return found == ends_.end() ? none : found->second;
}

}  // namespace t2n::trace
