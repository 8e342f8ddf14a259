// SPDX-License-Identifier: Apache-2.0
// Writes nodes of an exported program as TorchScript: what all kinds of nodes share.
#pragma once

#include <torch/csrc/jit/ir/ir.h>

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "src/diag/diagnostic.h"
#include "src/pt2/program.h"

namespace t2n::trace {

using torch::jit::Value;
using JitValues = std::vector<Value*>;

/// The names that a graph, or a subgraph, has defined until now.
using Names = std::unordered_map<std::string, Value*>;

/// Inserts nodes at the insert point of a graph, with the modules and the lines of the node of the
/// program that is being written.
class BlockBuilder {
 public:
  explicit BlockBuilder(std::shared_ptr<torch::jit::Graph> graph) : graph_(std::move(graph)) {}

  torch::jit::Graph& graph() const { return *graph_; }
  /// Nodes inserted from now on are at this node's location.
  void locate(const pt2::Node& node);

  torch::jit::Node* insert(c10::Symbol kind, const JitValues& inputs, size_t outputs = 1);
  Value* constant(const c10::IValue& value);
  /// Inserts an operator that LibTorch chooses by the types of the operands, with its defaults.
  /// nullptr if it has none of this name for them.
  torch::jit::Node* insert_matching(c10::Symbol kind, const JitValues& inputs);
  /// The result of such an operator. Errors: `unsupported-op`.
  Value* call(const std::string& op, const JitValues& inputs);
  Value* list(const c10::TypePtr& element, const JitValues& elements);
  /// A Bool of a number, or of a tensor.
  Value* as_bool(Value* value);

  /// The value of an argument where a parameter of type `type` is expected. Errors:
  /// `model-corrupt` for names that are not defined.
  Value* operand(const pt2::Argument& argument, const c10::TypePtr& type, const Names& names);

 private:
  Value* find(const pt2::ValueName& value, const c10::TypePtr& type, const Names& names);
  Value* operand_list(const pt2::Argument::List& elements, const c10::TypePtr& type,
                      const Names& names);

  std::shared_ptr<torch::jit::Graph> graph_;
  torch::jit::SourceRange range_;
  std::map<std::string, std::shared_ptr<torch::jit::Source>> sources_;
  std::map<std::string, torch::jit::ScopePtr> scopes_;
};

/// The module and the user's line of a node.
Where location_of(const pt2::Node& node);
/// Refuses a node that cannot be written as TorchScript.
[[noreturn]] void refuse_node(const pt2::Node& node, const std::string& what,
                              const std::string& why, const std::string& help);

}  // namespace t2n::trace
