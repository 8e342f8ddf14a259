// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/pt2/block_builder.h"

#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/runtime/operator.h>

#include <algorithm>
#include <array>

#include "src/diag/error.h"
#include "src/frontend/load/source_map.h"
#include "src/frontend/pt2/stored_tensors.h"

namespace t2n::trace {
namespace {

namespace prim = c10::prim;
using torch::jit::Node;

/// By the code of a .pt2 file.
constexpr std::array<at::Layout, 8> kLayouts = {
    at::Layout::Strided,   at::Layout::Sparse,    at::Layout::SparseCsr, at::Layout::SparseCsc,
    at::Layout::SparseBsr, at::Layout::SparseBsc, at::Layout::Mkldnn,    at::Layout::Strided};
constexpr std::array<at::MemoryFormat, 5> kMemoryFormats = {
    at::MemoryFormat::Preserve, at::MemoryFormat::Contiguous, at::MemoryFormat::ChannelsLast,
    at::MemoryFormat::ChannelsLast3d, at::MemoryFormat::Preserve};

template <typename Table>
int64_t by_code(const Table& table, int64_t code) {
  if (code < 0 || code >= static_cast<int64_t>(table.size()))
    throw Error("model-corrupt", cat("the model has the unknown layout code ", code));
  return static_cast<int64_t>(table[static_cast<size_t>(code)]);
}

c10::TypePtr without_optional(const c10::TypePtr& type) {
  const auto optional = type->cast<c10::OptionalType>();
  return optional ? optional->getElementType() : type;
}

/// A constant where the type allows one; nullopt for lists and names.
std::optional<c10::IValue> constant_of(const pt2::Argument& argument, const c10::TypePtr& type) {
  if (argument.get<ir::None>()) return c10::IValue();
  if (const auto* flag = argument.get<bool>())
    return type->kind() == c10::TypeKind::NumberType ? c10::IValue(int64_t{*flag})
                                                     : c10::IValue(*flag);
  if (const auto* number = argument.get<int64_t>())
    return type->kind() == c10::TypeKind::FloatType ? c10::IValue(static_cast<double>(*number))
                                                    : c10::IValue(*number);
  if (const auto* number = argument.get<double>()) return *number;
  if (const auto* number = argument.get<std::complex<double>>())
    return c10::complex<double>(number->real(), number->imag());
  if (const auto* text = argument.get<std::string>()) return *text;
  if (const auto* dtype = argument.get<pt2::DTypeCode>())
    return static_cast<int64_t>(torch_dtype(*dtype));
  if (const auto* layout = argument.get<pt2::LayoutCode>()) return by_code(kLayouts, layout->code);
  if (const auto* format = argument.get<pt2::MemoryFormatCode>())
    return by_code(kMemoryFormats, format->code);
  if (argument.get<pt2::DeviceName>()) return c10::IValue(at::Device(at::kCPU));
  return std::nullopt;
}

}  // namespace

Where location_of(const pt2::Node& node) {
  Where out;
  if (!node.modules.empty()) {
    out.module = node.modules.back().path;
    out.module_class = node.modules.back().class_name;
  }
  const ir::Source source = source_of_stack(node.stack_trace, false);
  out.frames = source.frames;
  out.excerpt = source.excerpt;
  return out;
}

void refuse_node(const pt2::Node& node, const std::string& what, const std::string& why,
                 const std::string& help) {
  Diagnostic out{.id = "unsupported-op", .message = what, .why = why, .help = help};
  out.where.push_back(location_of(node));
  throw Error(std::move(out));
}

void BlockBuilder::locate(const pt2::Node& node) {
  auto& source = sources_[node.stack_trace];
  if (!source) source = std::make_shared<torch::jit::Source>(node.stack_trace, std::nullopt, 0);
  range_ = torch::jit::SourceRange(source, 0, node.stack_trace.size());
  if (node.modules.empty()) return;
  const std::string& path = node.modules.back().path;
  auto& scope = scopes_[path];
  if (!scope)
    scope = c10::make_intrusive<torch::jit::Scope>()->push(
        c10::Symbol::fromQualString(cat("scope::", path.empty() ? kModelScope : path)));
  graph_->set_current_scope(scope);
}

Node* BlockBuilder::insert(c10::Symbol kind, const JitValues& inputs, size_t outputs) {
  Node* node = graph_->insertNode(graph_->create(kind, inputs, outputs));
  node->setSourceRange(range_);
  return node;
}

Value* BlockBuilder::constant(const c10::IValue& value) {
  return graph_->insertConstant(value, range_);
}

Node* BlockBuilder::insert_matching(c10::Symbol kind, const JitValues& inputs) {
  Node* node = insert(kind, inputs, 0);
  const torch::jit::Operator* op = node->maybeOperator();
  if (op == nullptr) {
    node->destroy();
    return nullptr;
  }
  for (const c10::Argument& result : op->schema().returns())
    node->addOutput()->setType(result.type());
  return node;
}

Value* BlockBuilder::call(const std::string& op, const JitValues& inputs) {
  Node* node = insert_matching(c10::Symbol::fromQualString(op), inputs);
  if (node == nullptr)
    throw Error("unsupported-op", cat("LibTorch has no operator ", quoted(op), " for ",
                                      inputs.size(), " operands of these types"));
  return node->output();
}

Value* BlockBuilder::list(const c10::TypePtr& element, const JitValues& elements) {
  Value* out = insert(prim::ListConstruct, elements)->output();
  return out->setType(c10::ListType::create(element));
}

Value* BlockBuilder::as_bool(Value* value) {
  if (value->type()->kind() == c10::TypeKind::BoolType) return value;
  return call("aten::Bool", {value});
}

Value* BlockBuilder::find(const pt2::ValueName& value, const c10::TypePtr& type,
                          const Names& names) {
  const auto found = names.find(value.name);
  if (found == names.end())
    throw Error("model-corrupt",
                cat("the model uses the value ", quoted(value.name), ", which nothing computes"),
                {}, "was it saved or downloaded completely?");
  Value* const out = found->second;
  if (type->kind() == c10::TypeKind::FloatType && out->type()->kind() == c10::TypeKind::IntType)
    return call("aten::Float", {out});
  return out;
}

Value* BlockBuilder::operand_list(const pt2::Argument::List& elements, const c10::TypePtr& type,
                                  const Names& names) {
  const auto list_type = type->cast<c10::ListType>();
  const c10::TypePtr element = list_type ? list_type->getElementType() : c10::AnyType::get();
  c10::impl::GenericList constants(element);
  for (const pt2::Argument& each : elements)
    if (auto value = constant_of(each, element); value && !value->isNone())
      constants.push_back(*std::move(value));
  const bool is_number = element->kind() != c10::TypeKind::AnyType &&
                         element->kind() != c10::TypeKind::TensorType &&
                         element->kind() != c10::TypeKind::OptionalType;
  if (is_number && constants.size() == elements.size()) return constant(constants);
  JitValues values;
  for (const pt2::Argument& each : elements) values.push_back(operand(each, element, names));
  return list(element, values);
}

Value* BlockBuilder::operand(const pt2::Argument& argument, const c10::TypePtr& type,
                             const Names& names) {
  const c10::TypePtr plain = without_optional(type);
  if (const auto* name = argument.get<pt2::ValueName>()) return find(*name, plain, names);
  if (const auto* elements = argument.get<pt2::Argument::List>())
    return operand_list(*elements, plain, names);
  if (const auto value = constant_of(argument, plain)) return constant(*value);
  throw Error("unsupported-op", "an argument is an operator, an object or a graph");
}

}  // namespace t2n::trace
