// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/pt2/graph_writer.h"

#include <torch/csrc/jit/runtime/operator.h>

#include <algorithm>
#include <array>

#include "src/diag/error.h"
#include "src/frontend/load/operators.h"
#include "src/frontend/pt2/decompositions.h"
#include "src/frontend/pt2/stored_tensors.h"

namespace t2n::trace {
namespace {

namespace prim = c10::prim;
using torch::jit::Node;

constexpr std::string_view kOperators = "torch.ops.";
constexpr std::string_view kHigherOrder = "torch.ops.higher_order.";

/// Operators on symbolic numbers that TorchScript has under another name.
constexpr std::array<std::pair<std::string_view, const char*>, 4> kSizes = {{
    {"aten::sym_size", "aten::size"},
    {"aten::sym_numel", "aten::numel"},
    {"aten::sym_stride", "aten::stride"},
    {"aten::sym_storage_offset", "aten::storage_offset"},
}};

/// Operators that only state facts about sizes or types, which the ranges of the program repeat or
/// the run itself shows.
constexpr std::array<std::string_view, 7> kStatements = {"aten::_assert_tensor_metadata",
                                                         "aten::sym_constrain_range",
                                                         "aten::sym_constrain_range_for_size",
                                                         "aten::_assert_scalar",
                                                         "aten::_assert_async",
                                                         "aten::_linalg_check_errors",
                                                         "aten::_print"};

std::shared_ptr<torch::jit::Operator> find_operator(const std::string& name,
                                                    const std::string& overload) {
  for (const auto& op : torch::jit::getAllOperatorsFor(c10::Symbol::fromQualString(name)))
    if (op->schema().overload_name() == overload) return op;
  return nullptr;
}

const pt2::Argument* argument_named(const pt2::Node& node, const std::string& name) {
  for (const pt2::NamedArgument& input : node.inputs)
    if (input.name == name) return &input.argument;
  return nullptr;
}

/// The argument for a parameter: calls below a higher-order operator name only keyword arguments.
const pt2::Argument* argument_for(const pt2::Node& node, const c10::FunctionSchema& schema,
                                  size_t index) {
  const c10::Argument& parameter = schema.arguments()[index];
  if (const auto* named = argument_named(node, parameter.name())) return named;
  const bool is_positional =
      !parameter.kwarg_only() && index < node.inputs.size() && node.inputs[index].name.empty();
  return is_positional ? &node.inputs[index].argument : nullptr;
}

bool has_truth_as_number(const pt2::Node& node, const c10::FunctionSchema& schema) {
  for (size_t i = 0; i < schema.arguments().size(); ++i)
    if (const auto* argument = argument_for(node, schema, i);
        argument != nullptr && argument->get<bool>() != nullptr &&
        schema.arguments()[i].type()->kind() == c10::TypeKind::NumberType)
      return true;
  return false;
}

}  // namespace

bool is_statement(std::string_view name) {
  return std::find(kStatements.begin(), kStatements.end(), name) != kStatements.end();
}

std::string operator_name(const std::string& target) {
  if (!target.starts_with(kOperators)) return {};
  std::string path = target.substr(kOperators.size());
  const size_t first = path.find('.');
  if (first == std::string::npos) return {};
  const size_t last = path.rfind('.');
  if (last != first) path.resize(last);
  return path.replace(first, 1, "::");
}

bool can_write(const std::string& name) {
  return is_known_higher_order(name) || is_statement(name) ||
         name == "export::access_subclass_inner_tensor" || decomposition(name, "") != nullptr ||
         torch_knows(name);
}

void GraphWriter::write(const pt2::Graph& graph) {
  for (const pt2::Node& node : graph.nodes) {
    builder_.locate(node);
    if (is_autocast_)
      write_in_autocast(node, graph);
    else
      write_node(node, graph);
  }
}

JitValues GraphWriter::inlined(const pt2::Graph& graph, const JitValues& inputs) {
  if (inputs.size() != graph.inputs.size())
    throw Error("model-corrupt", "a subgraph of the model is called with too few values");
  GraphWriter inner(builder_, attribute_);
  inner.is_autocast_ = is_autocast_;
  for (size_t i = 0; i < inputs.size(); ++i) inner.define(graph.inputs[i], inputs[i]);
  inner.write(graph);
  JitValues out;
  for (const pt2::Argument& output : graph.outputs)
    out.push_back(builder_.operand(output, c10::AnyType::get(), inner.names));
  return out;
}

void GraphWriter::define(const pt2::Argument& argument, Value* value) {
  if (const auto* name = argument.get<pt2::ValueName>()) names[name->name] = value;
}

/// A result that is a list stands for the elements of one.
void GraphWriter::define(const pt2::Node& node, const JitValues& results) {
  const std::vector<pt2::Argument>* outputs = &node.outputs;
  if (outputs->size() == 1 && results.size() != 1)
    if (const auto* list = outputs->front().get<pt2::Argument::List>()) outputs = list;
  for (size_t i = 0; i < std::min(outputs->size(), results.size()); ++i) {
    const auto* list = (*outputs)[i].get<pt2::Argument::List>();
    if (list == nullptr) {
      define((*outputs)[i], results[i]);
      continue;
    }
    if (results[i]->type()->kind() != c10::TypeKind::ListType) {
      if (!list->empty()) define(list->front(), results[i]);
      continue;
    }
    const auto element = results[i]->type()->expect<c10::ListType>()->getElementType();
    Node* unpacked = builder_.insert(prim::ListUnpack, {results[i]}, list->size());
    for (size_t k = 0; k < list->size(); ++k)
      define((*list)[k], unpacked->output(k)->setType(element));
  }
}

void GraphWriter::write_node(const pt2::Node& node, const pt2::Graph& graph) {
  const std::string& target = node.target;
  if (target.starts_with(kHigherOrder))
    return write_higher_order(node, graph, target.substr(kHigherOrder.size()));
  if (!target.starts_with(kOperators)) {
    if (!write_python(node, graph))
      refuse_node(node, cat("the model calls ", quoted(target)),
                  "it is no operator of torch, and t2nnef does not run Python",
                  target.starts_with("torch._functorch.")
                      ? "decompose the program: program.run_decompositions()"
                      : "replace it by an operator of torch");
    return;
  }
  const std::string path = target.substr(kOperators.size());
  const size_t first = path.find('.');
  const size_t last = path.rfind('.');
  if (first == std::string::npos || first == last)
    throw Error("model-corrupt", cat("the model has the unknown target ", quoted(target)));
  const std::string overload = path.substr(last + 1);
  write_operator(node, graph,
                 cat(path.substr(0, first), "::", path.substr(first + 1, last - first - 1)),
                 overload == "default" ? "" : overload);
}

/// A number that is read from a tensor: TorchScript has an operator for each type.
void GraphWriter::write_number(const pt2::Node& node, const pt2::Graph& graph) {
  const auto* name = node.outputs.empty() ? nullptr : node.outputs[0].get<pt2::ValueName>();
  const char* op = "aten::Int";
  if (name != nullptr && graph.floats.contains(name->name)) op = "aten::Float";
  if (name != nullptr && graph.booleans.contains(name->name)) op = "aten::Bool";
  const pt2::Argument* self = argument_named(node, "self");
  if (self == nullptr) throw Error("model-corrupt", "the model reads a number of no tensor");
  define(node, {builder_.call(op, {builder_.operand(*self, c10::TensorType::get(), names)})});
}

/// `if not condition: raise AssertionError(text)`, as in TorchScript.
void GraphWriter::write_assertion(const pt2::Node& node) {
  const pt2::Argument* condition = argument_named(node, "self");
  const pt2::Argument* text = argument_named(node, "assert_msg");
  if (condition == nullptr || text == nullptr)
    throw Error("model-corrupt", "the model asserts nothing");
  Value* const fails =
      builder_.call("aten::__not__",
                    {builder_.as_bool(builder_.operand(*condition, c10::AnyType::get(), names))});
  Node* const branch = builder_.insert(prim::If, {fails}, 0);
  torch::jit::Block* const raises = branch->addBlock();
  branch->addBlock();
  const torch::jit::WithInsertPoint inside(raises);
  builder_.insert(prim::RaiseException,
                  {builder_.operand(*text, c10::StringType::get(), names),
                   builder_.constant("builtins.AssertionError")},
                  0);
}

/// A tensor of a wrapper, or a wrapper within one.
void GraphWriter::write_part(const pt2::Node& node) {
  const pt2::Argument* wrapper = argument_named(node, "src_subclass_tensor");
  const pt2::Argument* part = argument_named(node, "attr");
  const auto* name = wrapper == nullptr ? nullptr : wrapper->get<pt2::ValueName>();
  const auto* attribute = part == nullptr ? nullptr : part->get<std::string>();
  const auto* result = node.outputs.empty() ? nullptr : node.outputs[0].get<pt2::ValueName>();
  if (name == nullptr || attribute == nullptr || result == nullptr ||
      !wrappers.contains(name->name))
    throw Error("model-corrupt", "the model reads a part of a tensor that has no parts");
  const std::string address = cat(wrappers.at(name->name), ".", *attribute);
  if (Value* const value = attribute_(address))
    names[result->name] = value;
  else
    wrappers[result->name] = address;
}

void GraphWriter::write_operator(const pt2::Node& node, const pt2::Graph& graph,
                                 const std::string& qualified, const std::string& overload) {
  if (qualified == "aten::_assert_scalar") return write_assertion(node);
  if (is_statement(qualified)) return;
  if (qualified == "export::access_subclass_inner_tensor") return write_part(node);
  if (qualified == "aten::item" || qualified == "aten::_local_scalar_dense")
    return write_number(node, graph);
  std::string name = qualified;
  for (const auto& [exported, scripted] : kSizes)
    if (exported == qualified) name = scripted;
  if (const auto* decomposed = decomposition(name, overload))
    return write_decomposed(node, *decomposed);
  auto found = find_operator(name, overload);
  if (found == nullptr && !torch_knows(name) && declare_unknown({name}))
    found = find_operator(name, "");
  if (found == nullptr && is_unknown(name)) found = find_operator(name, "");
  if (found == nullptr)
    refuse_node(node, cat("this LibTorch has no operator ", quoted(cat(name, ".", overload))),
                "another PyTorch saved the model", "use the LibTorch of that PyTorch");
  write_call(node, graph, found->schema());
}

void GraphWriter::write_decomposed(const pt2::Node& node,
                                   const torch::jit::GraphFunction& function) {
  JitValues operands;
  const auto graph = function.graph();
  for (size_t i = 0; i < graph->inputs().size(); ++i) {
    const pt2::Argument* argument = argument_for(node, function.getSchema(), i);
    operands.push_back(argument != nullptr
                           ? builder_.operand(*argument, graph->inputs()[i]->type(), names)
                           : builder_.constant(c10::IValue()));
  }
  JitValues results = torch::jit::insertGraph(builder_.graph(), *graph, operands);
  if (const auto tuple = results.at(0)->type()->cast<c10::TupleType>()) {
    Node* unpacked = builder_.insert(prim::TupleUnpack, results, tuple->elements().size());
    for (size_t i = 0; i < unpacked->outputs().size(); ++i)
      unpacked->output(i)->setType(tuple->elements()[i]);
    results = {unpacked->outputs().begin(), unpacked->outputs().end()};
  }
  define(node, results);
}

/// TorchScript has no truth values among its numbers: an integer stands for them, which may change
/// the dtype of the result.
void GraphWriter::restore_dtype(const pt2::Node& node, const pt2::Graph& graph,
                                const c10::FunctionSchema& schema) {
  const auto* name = node.outputs.size() == 1 ? node.outputs[0].get<pt2::ValueName>() : nullptr;
  if (!has_truth_as_number(node, schema) || name == nullptr || schema.is_mutable()) return;
  const auto meta = graph.tensors.find(name->name);
  if (meta == graph.tensors.end()) return;
  Value*& value = names.at(name->name);
  value = as_dtype(value, torch_dtype(meta->second.dtype));
}

Value* GraphWriter::as_dtype(Value* value, at::ScalarType dtype) {
  return builder_.call(
      "aten::to", {value, builder_.constant(static_cast<int64_t>(dtype)), builder_.constant(false),
                   builder_.constant(false), builder_.constant(c10::IValue())});
}

void GraphWriter::write_call(const pt2::Node& node, const pt2::Graph& graph,
                             const c10::FunctionSchema& schema) {
  const auto kind = c10::Symbol::fromQualString(schema.name());
  JitValues operands;
  if (schema.is_vararg())
    for (const pt2::NamedArgument& input : node.inputs)
      operands.push_back(builder_.operand(input.argument, c10::AnyType::get(), names));
  for (size_t i = 0; i < schema.arguments().size(); ++i) {
    const c10::Argument& parameter = schema.arguments()[i];
    const pt2::Argument* argument = argument_for(node, schema, i);
    if (argument != nullptr)
      operands.push_back(builder_.operand(*argument, parameter.type(), names));
    else if (parameter.default_value())
      operands.push_back(builder_.constant(*parameter.default_value()));
    else
      throw Error("model-corrupt",
                  cat("the model calls ", schema.name(), " without ", quoted(parameter.name())));
  }
  Node* called = builder_.insert_matching(kind, operands);
  if (called == nullptr) called = builder_.insert_matching(kind, with_tensors(schema, operands));
  if (called == nullptr)
    refuse_node(node, cat("the model's call of ", schema.name(), " does not fit its schema"),
                cat(schema), "was it saved or downloaded completely?");
  define(node, {called->outputs().begin(), called->outputs().end()});
  restore_dtype(node, graph, schema);
}

/// The operands, with tensors of rank 0 for numbers where the schema has tensors.
JitValues GraphWriter::with_tensors(const c10::FunctionSchema& schema, JitValues operands) {
  for (size_t i = 0; i < std::min(operands.size(), schema.arguments().size()); ++i)
    if (schema.arguments()[i].type()->isSubtypeOf(*c10::OptionalType::ofTensor()) &&
        operands[i]->type()->isSubtypeOf(*c10::NumberType::get()))
      operands[i] = builder_.call("prim::NumToTensor", {operands[i]});
  return operands;
}

}  // namespace t2n::trace
