// SPDX-License-Identifier: Apache-2.0
// The last use of each value, so that tensors are freed as early as possible.
#pragma once

#include <torch/csrc/jit/ir/ir.h>

#include <unordered_map>
#include <vector>

namespace t2n::trace {

class Liveness {
 public:
  /// The values of the node's own block, inputs of the block included, that are read last by this
  /// node: neither the block's outputs nor another iteration of a loop reads them.
  const std::vector<const torch::jit::Value*>& ends_at(torch::jit::Node* node);

 private:
  void analyse(torch::jit::Block* block);
  std::unordered_map<const torch::jit::Node*, std::vector<const torch::jit::Value*>> ends_;
  std::unordered_map<const torch::jit::Block*, bool> known_;
};

}  // namespace t2n::trace
