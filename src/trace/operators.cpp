#include "src/trace/operators.h"

#include <torch/csrc/jit/frontend/function_schema_parser.h>
#include <torch/csrc/jit/runtime/custom_operator.h>
#include <torch/csrc/jit/runtime/operator.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
#include <set>

#include "ir/op_traits.h"
#include "src/diag/error.h"

namespace t2n::trace {
namespace {

std::set<std::string, std::less<>>& unknown_operators() {
  static std::set<std::string, std::less<>> names;
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

using Visit = std::function<void(torch::jit::Node*)>;
using Seen = std::set<const torch::jit::Function*>;

void visit_block(torch::jit::Block* block, Seen& seen, const Visit& visit);

void visit_function(torch::jit::Function& function, Seen& seen, const Visit& visit) {
  if (!seen.insert(&function).second) return;
  auto* graph_function = torch::jit::tryToGraphFunction(function);
  if (graph_function != nullptr) visit_block(graph_function->graph()->block(), seen, visit);
}

/// Every node of a block, and of whatever it calls, once.
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

/// True for a call of code that this walk does not see: behind an interface, of a context manager,
/// or of a class's own comparison.
bool calls_unseen(const torch::jit::Node* node) {
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
        kind == c10::prim::Print || kind == c10::prim::fork || calls_unseen(node) ||
        (op != nullptr && op->schema().is_mutable()))
      pure = false;
  });
  return pure;
}

bool is_written(const c10::Argument& argument) {
  return argument.alias_info() != nullptr && argument.alias_info()->isWrite();
}

bool only_shape_counts(const ir::Node& node, std::string_view argument) {
  const std::string_view op = ir::op_name(node.op);
  return (argument == "self" && has_trait(op, ir::OpTrait::reads_shape_of_self)) ||
         (argument == "other" && has_trait(op, ir::OpTrait::reads_shape_of_other));
}

void declare_unknown(const std::string& name) {
  if (!unknown_operators().insert(name).second) return;
  torch::jit::registerOperator(torch::jit::Operator(
      schema_for(name),
      [name](torch::jit::Stack&) {
        throw Error("unsupported-op", cat("the operator ", quoted(name), " cannot be executed"));
      },
      c10::AliasAnalysisKind::CONSERVATIVE));
}

bool is_unknown(std::string_view name) { return unknown_operators().contains(name); }

std::string unknown_operator_in(const std::string& message) {
  constexpr std::string_view kWords = "Unknown builtin op: ";
  constexpr size_t kLongest = 200;
  const size_t found = message.find(kWords);
  if (found == std::string::npos) return {};
  const std::string_view rest = std::string_view(message).substr(found + kWords.size());
  const auto is_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  const auto word_end = [&](size_t at) {
    while (at < rest.size() && is_word(rest[at])) ++at;
    return at;
  };
  const size_t space = word_end(0);
  if (space == 0 || rest.substr(space, 2) != "::") return {};
  const size_t end = word_end(space + 2);
  if (end == space + 2 || end > kLongest) return {};
  return std::string(rest.substr(0, end));
}

}  // namespace t2n::trace
