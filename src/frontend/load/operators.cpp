// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/load/operators.h"

#include <torch/csrc/jit/frontend/builtin_functions.h>
#include <torch/csrc/jit/frontend/function_schema_parser.h>
#include <torch/csrc/jit/runtime/custom_operator.h>
#include <torch/csrc/jit/runtime/operator.h>

#include <algorithm>
#include <array>
#include <functional>
#include <set>

#include "ir/op_traits.h"
#include "src/diag/error.h"
#include "src/model_file/allowed.h"

namespace t2n::trace {
namespace {

std::set<std::string, std::less<>>& unknown_operators() {
  static std::set<std::string, std::less<>> names;
  return names;
}

std::set<std::string>& added_operators() {
  static std::set<std::string> names;
  return names;
}

/// Common operators of libraries, with their real schemas; others get a general schema.
constexpr std::array<std::pair<std::string_view, const char*>, 4> kKnownSchemas = {{
    {"torchvision::roi_align",
     "torchvision::roi_align(Tensor input, Tensor rois, float spatial_scale, int pooled_height, "
     "int "
     "pooled_width, int sampling_ratio, bool aligned) -> Tensor"},
    {"torchvision::roi_pool",
     "torchvision::roi_pool(Tensor input, Tensor rois, float spatial_scale, int pooled_height, int "
     "pooled_width) -> (Tensor, Tensor)"},
    {"torchvision::ps_roi_align",
     "torchvision::ps_roi_align(Tensor input, Tensor rois, float spatial_scale, int pooled_height, "
     "int "
     "pooled_width, int sampling_ratio) -> (Tensor, Tensor)"},
    {"torchvision::deform_conv2d",
     "torchvision::deform_conv2d(Tensor input, Tensor weight, Tensor offset, Tensor mask, Tensor "
     "bias, "
     "int stride_h, int stride_w, int pad_h, int pad_w, int dilation_h, int dilation_w, int "
     "groups, int "
     "offset_groups, bool use_mask) -> Tensor"},
}};

std::string schema_for(const std::string& name) {
  for (const auto& [known, schema] : kKnownSchemas)
    if (known == name) return schema;
  return name + "(...) -> Tensor";
}

void declare(const std::string& name) {
  unknown_operators().insert(name);
  torch::jit::registerOperator(torch::jit::Operator(
      schema_for(name),
      [name](torch::jit::Stack&) {
        throw Error("unsupported-op", cat("the operator ", quoted(name), " cannot be executed"));
      },
      c10::AliasAnalysisKind::CONSERVATIVE));
}

using Visit = std::function<void(torch::jit::Node*)>;
using Seen = std::set<const torch::jit::Function*>;

void visit_block(torch::jit::Block* block, Seen& seen, const Visit& visit);

void visit_function(torch::jit::Function& function, Seen& seen, const Visit& visit) {
  if (!seen.insert(&function).second) return;
  auto* graph_function = torch::jit::tryToGraphFunction(function);
  if (graph_function != nullptr) visit_block(graph_function->graph()->block(), seen, visit);
}

/// Visits every node of a block, and of all functions that it calls, once.
void visit_block(torch::jit::Block* block, Seen& seen, const Visit& visit) {
  for (torch::jit::Node* node : block->nodes()) {
    visit(node);
    if (node->kind() == c10::prim::CallMethod) {
      const auto type = node->input(0)->type()->cast<c10::ClassType>();
      if (type) visit_function(type->getMethod(node->s(c10::attr::name)), seen, visit);
    } else if (node->kind() == c10::prim::CallFunction) {
      if (const auto type = node->input(0)->type()->cast<c10::FunctionType>())
        visit_function(*type->function(), seen, visit);
    }
    for (torch::jit::Block* inner : node->blocks()) visit_block(inner, seen, visit);
  }
}

/// True for a call of code that this walk cannot resolve: through an interface, of a context
/// manager, or of a class's own comparison.
bool calls_unresolved(const torch::jit::Node* node) {
  const auto kind = node->kind();
  if (kind == c10::prim::Enter || kind == c10::prim::Exit) return true;
  if (kind == c10::prim::CallMethod) return !node->input(0)->type()->cast<c10::ClassType>();
  if (kind == c10::prim::CallFunction) return !node->input(0)->type()->cast<c10::FunctionType>();
  const bool sorts =
      kind == c10::aten::sort || std::string_view(kind.toQualString()) == "aten::sorted";
  return sorts && !node->inputs().empty() && node->input(0)->type()->cast<c10::ListType>() &&
         node->input(0)->type()->expect<c10::ListType>()->getElementType()->cast<c10::ClassType>();
}

}  // namespace

bool is_pure(torch::jit::Block* block) {
  bool pure = true;
  Seen seen;
  visit_block(block, seen, [&](torch::jit::Node* node) {
    const auto kind = node->kind();
    const auto* op = node->maybeOperator();
    if (kind == c10::prim::SetAttr || kind == c10::prim::RaiseException ||
        kind == c10::prim::Print || kind == c10::prim::fork || calls_unresolved(node) ||
        (op != nullptr && op->schema().is_mutable()))
      pure = false;
  });
  return pure;
}

bool is_written(const c10::Argument& argument) {
  return argument.alias_info() != nullptr && argument.alias_info()->isWrite();
}

bool reads_only_shape(const ir::Node& node, std::string_view argument) {
  const std::string_view op = ir::op_name(node.op);
  return (argument == "self" && has_trait(op, ir::OpTrait::reads_shape_of_self)) ||
         (argument == "other" && has_trait(op, ir::OpTrait::reads_shape_of_other));
}

bool declare_unknown(const std::set<std::string>& names) {
  constexpr size_t kMost = 200, kLongest = 200;
  bool any = false;
  for (const std::string& name : names) {
    const auto symbol = c10::Symbol::fromQualString(name);
    if (!torch::jit::getAllOperatorsFor(symbol).empty() ||
        !torch::jit::getAllBuiltinFunctionsFor(symbol).empty() || name.size() > kLongest ||
        unknown_operators().size() >= kMost)
      continue;
    declare(name);
    any = true;
  }
  return any;
}

bool torch_knows(const std::string& name) {
  const auto symbol = c10::Symbol::fromQualString(name);
  return !is_unknown(name) && (!torch::jit::getAllOperatorsFor(symbol).empty() ||
                               !torch::jit::getAllBuiltinFunctionsFor(symbol).empty());
}

bool is_unknown(std::string_view name) { return unknown_operators().contains(name); }

void define_operator(const std::string& schema, torch::jit::Operation kernel) {
  added_operators().insert(schema.substr(0, schema.find('(')));
  torch::jit::registerOperator(
      torch::jit::Operator(schema, std::move(kernel), c10::AliasAnalysisKind::PURE_FUNCTION));
}

std::set<std::string> operator_names() {
  std::set<std::string> out;
  for (const auto& op : torch::jit::getAllOperators()) out.insert(op->schema().name());
  return out;
}

void allow_operators(const std::set<std::string>& names) {
  added_operators().insert(names.begin(), names.end());
}

bool may_call(const std::string& name) {
  return model_file::is_allowed(name) || is_unknown(name) || added_operators().contains(name);
}

}  // namespace t2n::trace
