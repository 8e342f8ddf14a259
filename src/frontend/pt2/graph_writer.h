// SPDX-License-Identifier: Apache-2.0
// Writes the nodes of an exported graph as TorchScript.
#pragma once

#include <torch/csrc/jit/api/function_impl.h>

#include <functional>
#include <map>
#include <string>

#include "src/frontend/pt2/block_builder.h"

namespace t2n::trace {

/// "aten::add" of "torch.ops.aten.add.Tensor"; "higher_order::cond"; "" for Python's operators on
/// numbers.
std::string operator_name(const std::string& target);
/// Whether the operator only states facts, and is not written.
bool is_statement(std::string_view name);
/// Whether there is an operator of LibTorch, a decomposition or a translation for it.
bool can_write(const std::string& name);

/// "higher_order::cond"
bool is_known_higher_order(const std::string& name);

/// Writes the nodes of one graph, in its own namespace.
class GraphWriter {
 public:
  /// The value of a tensor of the model by its address.
  using Attribute = std::function<Value*(const std::string& address)>;
  GraphWriter(BlockBuilder& builder, Attribute attribute)
      : builder_(builder), attribute_(std::move(attribute)) {}

  Names names;
  std::map<std::string, std::string> wrappers;  ///< addresses of values that wrap tensors, by name

  void write(const pt2::Graph& graph);
  /// Writes a subgraph at the insert point. Returns its results.
  JitValues inlined(const pt2::Graph& graph, const JitValues& inputs);

 private:
  void write_node(const pt2::Node& node, const pt2::Graph& graph);
  void write_operator(const pt2::Node& node, const pt2::Graph& graph, const std::string& name,
                      const std::string& overload);
  void write_assertion(const pt2::Node& node);
  void write_part(const pt2::Node& node);
  void write_decomposed(const pt2::Node& node, const torch::jit::GraphFunction& function);
  void write_call(const pt2::Node& node, const pt2::Graph& graph,
                  const c10::FunctionSchema& schema);
  void restore_dtype(const pt2::Node& node, const pt2::Graph& graph,
                     const c10::FunctionSchema& schema);
  JitValues with_tensors(const c10::FunctionSchema& schema, JitValues operands);
  void write_number(const pt2::Node& node, const pt2::Graph& graph);
  bool write_python(const pt2::Node& node, const pt2::Graph& graph);
  void write_higher_order(const pt2::Node& node, const pt2::Graph& graph, const std::string& name);
  void define(const pt2::Node& node, const JitValues& results);
  void define(const pt2::Argument& name, Value* value);
  Value* as_dtype(Value* value, at::ScalarType dtype);
  // autocast.cpp
  void write_autocast(const pt2::Node& node);
  void write_in_autocast(const pt2::Node& node, const pt2::Graph& graph);
  // python_operators.cpp
  Value* write_choice(Value* condition, Value* yes, Value* no);
  // higher_order.cpp
  using LoopBody = std::function<JitValues(Value* index, const JitValues& carried)>;
  using EntryBody = std::function<JitValues(const JitValues& carried, const JitValues& entries)>;
  void write_cond(const pt2::Node& node);
  void write_while_loop(const pt2::Node& node);
  void write_scan(const pt2::Node& node);
  void write_map(const pt2::Node& node);
  void write_region(const pt2::Node& node);
  void write_effects(const pt2::Node& node, const pt2::Graph& graph);
  JitValues write_loop(Value* count, Value* condition, const JitValues& carried,
                       const LoopBody& body);
  JitValues write_entries(const pt2::Node& node, const JitValues& carried,
                          const JitValues& sequences, const EntryBody& step, size_t stacked);
  JitValues values(const pt2::Argument& argument);
  JitValues values_at(const pt2::Node& node, size_t index);

  BlockBuilder& builder_;
  Attribute attribute_;
  bool is_autocast_ = false;  ///< in a region under torch.autocast
};

}  // namespace t2n::trace
