// SPDX-License-Identifier: Apache-2.0
// Operators that call subgraphs: branches, loops, and regions that run as they stand.
#include <algorithm>
#include <array>
#include <limits>

#include "src/diag/error.h"
#include "src/frontend/pt2/graph_writer.h"

namespace t2n::trace {
namespace {

namespace prim = c10::prim;
using torch::jit::Block;
using torch::jit::Node;
using torch::jit::WithInsertPoint;

[[noreturn]] void refuse_call(const pt2::Node& node) {
  refuse_node(node, cat("the model's call of ", node.target, " cannot be read"),
              "its arguments are not those of a known version of PyTorch",
              "export the model again with PyTorch 2.9 or later");
}

const pt2::Graph& graph_at(const pt2::Node& node, size_t index) {
  const auto* graph = index < node.inputs.size()
                          ? node.inputs[index].argument.get<pt2::Argument::Subgraph>()
                          : nullptr;
  if (graph == nullptr) refuse_call(node);
  return **graph;
}

/// Whether a scan of PyTorch 2.6 runs along axis 0, from its beginning.
bool is_forward(const pt2::Node& node) {
  const auto* axis = node.inputs[3].argument.get<int64_t>();
  const auto* is_reverse = node.inputs.size() > 4 ? node.inputs[4].argument.get<bool>() : nullptr;
  return axis != nullptr && *axis == 0 && is_reverse != nullptr && !*is_reverse;
}

JitValues concat(JitValues first, const JitValues& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

}  // namespace

JitValues GraphWriter::values(const pt2::Argument& argument) {
  const auto* list = argument.get<pt2::Argument::List>();
  if (list == nullptr) return {builder_.operand(argument, c10::AnyType::get(), names)};
  JitValues out;
  for (const pt2::Argument& each : *list)
    out.push_back(builder_.operand(each, c10::AnyType::get(), names));
  return out;
}

/// The values of an argument of a call; none if there is no such argument.
JitValues GraphWriter::values_at(const pt2::Node& node, size_t index) {
  return index < node.inputs.size() ? values(node.inputs[index].argument) : JitValues();
}

void GraphWriter::write_cond(const pt2::Node& node) {
  if (node.inputs.size() < 3) refuse_call(node);
  Value* const condition = builder_.as_bool(values_at(node, 0).at(0));
  const JitValues operands = values_at(node, 3);
  Node* branch = builder_.insert(prim::If, {condition}, 0);
  for (size_t side = 1; side <= 2; ++side) {
    Block* block = branch->addBlock();
    const WithInsertPoint inside(block);
    const JitValues results = inlined(graph_at(node, side), operands);
    for (Value* result : results) block->registerOutput(result);
  }
  const auto results = branch->blocks()[0]->outputs();
  if (results.size() != branch->blocks()[1]->outputs().size()) refuse_call(node);
  for (Value* result : results) branch->addOutput()->setType(result->type());
  define(node, {branch->outputs().begin(), branch->outputs().end()});
}

/// A loop with `count` iterations, while the first value that `body` returns is true. Returns the
/// others after the last one.
JitValues GraphWriter::write_loop(Value* count, Value* condition, const JitValues& carried,
                                  const LoopBody& body) {
  Node* loop = builder_.insert(prim::Loop, concat({count, condition}, carried), 0);
  Block* block = loop->addBlock();
  Value* const index = block->addInput()->setType(c10::IntType::get());
  JitValues inner;
  for (const Value* value : carried) inner.push_back(block->addInput()->setType(value->type()));
  {
    const WithInsertPoint inside(block);
    for (Value* result : body(index, inner)) block->registerOutput(result);
  }
  for (const Value* value : carried) loop->addOutput()->setType(value->type());
  return {loop->outputs().begin(), loop->outputs().end()};
}

void GraphWriter::write_while_loop(const pt2::Node& node) {
  const pt2::Graph& test = graph_at(node, 0);
  const pt2::Graph& step = graph_at(node, 1);
  const JitValues carried = values_at(node, 2);
  const JitValues others = values_at(node, 3);
  const auto continues = [&](const JitValues& state) {
    const JitValues result = inlined(test, concat(state, others));
    if (result.size() != 1) refuse_call(node);
    return builder_.as_bool(result[0]);
  };
  Value* const endless = builder_.constant(std::numeric_limits<int64_t>::max());
  define(node, write_loop(endless, continues(carried), carried,
                          [&](Value* /*index*/, const JitValues& state) {
                            const JitValues next = inlined(step, concat(state, others));
                            if (next.size() != state.size()) refuse_call(node);
                            return concat({continues(next)}, next);
                          }));
}

/// Runs `step` for each entry of axis 0 of the sequences. `outputs` receives the stacked results
/// after the carried ones.
JitValues GraphWriter::write_entries(const pt2::Node& node, const JitValues& carried,
                                     const JitValues& sequences, const EntryBody& step,
                                     size_t stacked) {
  if (sequences.empty()) refuse_call(node);
  Value* const zero = builder_.constant(int64_t{0});
  Value* const count = builder_.call("aten::size", {sequences[0], zero});
  JitValues lists;
  for (size_t i = 0; i < stacked; ++i) lists.push_back(builder_.list(c10::TensorType::get(), {}));
  JitValues out = write_loop(
      count, builder_.constant(true), carried, [&](Value* index, const JitValues& state) {
        JitValues entries;
        for (Value* sequence : sequences)
          entries.push_back(builder_.call("aten::select", {sequence, zero, index}));
        JitValues next = step(state, entries);
        if (next.size() != carried.size() + stacked) refuse_call(node);
        for (size_t i = 0; i < stacked; ++i)
          builder_.call("aten::append", {lists[i], next[carried.size() + i]});
        next.resize(carried.size());
        return concat({builder_.constant(true)}, next);
      });
  for (Value* list : lists) out.push_back(builder_.call("aten::stack", {list, zero}));
  return out;
}

void GraphWriter::write_scan(const pt2::Node& node) {
  const pt2::Graph& step = graph_at(node, 0);
  const JitValues carried = values_at(node, 1);
  // PyTorch 2.6 has the axis and the direction there.
  const bool is_old = node.inputs.size() > 3 && node.inputs[3].argument.get<int64_t>() != nullptr;
  if (is_old && !is_forward(node)) refuse_call(node);
  const JitValues others = values_at(node, is_old ? 5 : 3);
  if (step.outputs.size() < carried.size()) refuse_call(node);
  define(node, write_entries(
                   node, carried, values_at(node, 2),
                   [&](const JitValues& state, const JitValues& entries) {
                     return inlined(step, concat(concat(state, entries), others));
                   },
                   step.outputs.size() - carried.size()));
}

void GraphWriter::write_map(const pt2::Node& node) {
  const pt2::Graph& step = graph_at(node, 0);
  const JitValues others = values_at(node, 2);
  define(node, write_entries(
                   node, {}, values_at(node, 1),
                   [&](const JitValues& /*state*/, const JitValues& entries) {
                     return inlined(step, concat(entries, others));
                   },
                   step.outputs.size()));
}

/// A region that runs once, as it stands: its graph and its values among the arguments.
void GraphWriter::write_region(const pt2::Node& node) {
  JitValues operands;
  size_t at = 0;
  while (at < node.inputs.size() &&
         node.inputs[at].argument.get<pt2::Argument::Subgraph>() == nullptr)
    ++at;
  const pt2::Graph& region = graph_at(node, at);
  for (size_t i = at + 1; i < node.inputs.size(); ++i) {
    if (node.inputs[i].argument.get<std::string>()) continue;  // the region's name
    if (operands.size() == region.inputs.size()) break;
    operands = concat(std::move(operands), values(node.inputs[i].argument));
  }
  define(node, inlined(region, operands));
}

/// An operator whose effects are ordered by a token, which TorchScript does not need.
void GraphWriter::write_effects(const pt2::Node& node, const pt2::Graph& graph) {
  const auto* op =
      node.inputs.size() > 1 ? node.inputs[1].argument.get<pt2::OperatorName>() : nullptr;
  if (op == nullptr || node.outputs.empty()) refuse_call(node);
  pt2::Node plain = node;
  plain.target = op->name;
  plain.inputs.erase(plain.inputs.begin(), plain.inputs.begin() + 2);
  plain.outputs.erase(plain.outputs.begin());
  write_node(plain, graph);
}

bool is_known_higher_order(const std::string& name) {
  constexpr std::string_view kNamespace = "higher_order::";
  constexpr std::array<std::string_view, 14> kKnown = {"cond",
                                                       "while_loop",
                                                       "scan",
                                                       "map_impl",
                                                       "map",
                                                       "with_effects",
                                                       "wrap",
                                                       "wrap_with_set_grad_enabled",
                                                       "invoke_subgraph",
                                                       "tag_activation_checkpoint",
                                                       "wrap_activation_checkpoint",
                                                       "hints_wrapper",
                                                       "strict_mode",
                                                       "wrap_with_autocast"};
  return name.starts_with(kNamespace) &&
         std::find(kKnown.begin(), kKnown.end(), name.substr(kNamespace.size())) != kKnown.end();
}

void GraphWriter::write_higher_order(const pt2::Node& node, const pt2::Graph& graph,
                                     const std::string& name) {
  if (name == "with_effects") return write_effects(node, graph);
  if (name == "cond") return write_cond(node);
  if (name == "while_loop") return write_while_loop(node);
  if (name == "scan") return write_scan(node);
  if (name == "map_impl" || name == "map") return write_map(node);
  if (name == "wrap_with_autocast") return write_autocast(node);
  if (name == "wrap_with_set_grad_enabled" || name == "wrap" || name == "invoke_subgraph" ||
      name == "tag_activation_checkpoint" || name == "wrap_activation_checkpoint" ||
      name == "hints_wrapper" || name == "strict_mode")
    return write_region(node);
  if (name.starts_with("auto_functionalized"))
    if (const auto* op =
            node.inputs.empty() ? nullptr : node.inputs[0].argument.get<pt2::OperatorName>())
      refuse_node(node,
                  cat("the model calls ", quoted(operator_name(op->name)),
                      ", which writes to its operands"),
                  "it is an operator of your own, which t2nnef does not know",
                  "replace it by operators of torch");
  refuse_node(node, cat("the model calls the higher-order operator ", quoted(name)),
              "t2nnef has no translation for it",
              "decompose it with run_decompositions(), or write it with plain operators");
}

}  // namespace t2n::trace
