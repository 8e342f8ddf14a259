// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/load/operator_scan.h"

#include <ATen/core/jit_type.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/ir/constants.h>

#include <algorithm>
#include <span>

#include "src/diag/error.h"
#include "src/frontend/load/operators.h"
#include "src/model_file/allowed.h"

namespace t2n::trace {
namespace {

namespace prim = c10::prim;
using torch::jit::Block;
using torch::jit::Node;

std::string owning_class(const std::string& qualified) {
  const size_t method = qualified.rfind('.');
  if (method == std::string::npos || method == 0) return {};
  const size_t begin = qualified.rfind('.', method - 1);
  return qualified.substr(begin + 1, method - begin - 1);
}

std::string method_of(const std::string& qualified) {
  return qualified.substr(qualified.rfind('.') + 1);
}

std::string location_text(const std::string& function) {
  const std::string method = method_of(function);
  if (method == "__setstate__") return "while it is loaded (__setstate__)";
  if (method == "forward") return "in forward";
  const std::string owner = owning_class(function);
  return cat("in ", owner.empty() || owner == "__torch__" ? method : cat(owner, ".", method));
}

Where location_of(const ForbiddenUse& refusal, SourceMap& sources) {
  Where where;
  const ir::Source source = sources.find(refusal.node->sourceRange(), true);
  where.module_class = owning_class(refusal.function);
  where.frames = source.frames;
  where.excerpt = source.excerpt;
  where.caret = source.caret;
  where.caret_width = source.caret_width;
  return where;
}

/// Operators of a CPU library occur in files that were prepared for it, not in hostile ones.
bool is_prepared(const std::string& name) {
  return name.find("mkldnn") != std::string::npos || name.find("MKLDNN") != std::string::npos;
}

}  // namespace

void refuse_operator_of_cpu(const std::string& name) {
  throw Error(
      "model-format",
      "the model was prepared for one CPU's library, by torch.jit.optimize_for_inference or "
      "torch.utils.mkldnn.to_mkldnn",
      cat("it contains operators of that library (", name, ")"), "save it before that step");
}

void refuse_prepared(const std::set<std::string>& called) {
  const auto found = std::find_if(called.begin(), called.end(), is_prepared);
  if (found != called.end()) refuse_operator_of_cpu(*found);
}

namespace {

[[noreturn]] void refuse_denied(const std::vector<ForbiddenUse>& refusals, SourceMap* sources) {
  const ForbiddenUse& first = refusals.front();
  if (std::all_of(refusals.begin(), refusals.end(),
                  [](const ForbiddenUse& each) { return is_prepared(each.what); }))
    refuse_operator_of_cpu(first.what);
  const auto location = [&](const ForbiddenUse& use) {
    const bool is_known =
        sources != nullptr && use.node != nullptr && method_of(use.function) != "__setstate__";
    return is_known ? std::vector<Where>{location_of(use, *sources)} : std::vector<Where>();
  };
  Diagnostic out;
  out.id = "denied-operator";
  out.message = cat("the model calls ", quoted(first.what), " ", location_text(first.function));
  out.where = location(first);
  out.why = first.reason;
  out.help = model_file::denial_help(first.what);
  if (refusals.size() > 1) {
    constexpr size_t kShown = 20;
    std::vector<Use> uses;
    for (const ForbiddenUse& each : std::span(refusals).first(std::min(refusals.size(), kShown)))
      uses.push_back({.what = cat(quoted(each.what), " ", location_text(each.function)),
                      .where = location(each),
                      .why = each.reason == first.reason ? "" : each.reason,
                      .help = {}});
    set_uses(out, std::move(uses));
    if (refusals.size() > kShown)
      out.details.push_back(cat("and ", refusals.size() - kShown, " more"));
    out.message = cat("the model has ", refusals.size(), " calls that are not allowed");
  }
  throw Error(std::move(out));
}

}  // namespace

std::vector<ForbiddenUse> OperatorScan::run(const torch::jit::CompilationUnit& unit) {
  found_.clear();
  for (torch::jit::Function* each : unit.get_functions()) function(*each);
  finish();
  return std::move(found_);
}

void OperatorScan::require(const torch::jit::CompilationUnit& unit, SourceMap* sources) {
  const std::vector<ForbiddenUse> refusals = run(unit);
  if (!refusals.empty()) refuse_denied(refusals, sources);
}

/// Queues a function instead of recursing: chains of calls may have any depth.
void OperatorScan::function(torch::jit::Function& function) {
  if (seen_.insert(&function).second) pending_.push_back(&function);
}

void OperatorScan::finish() {
  while (!pending_.empty()) {
    torch::jit::Function* next = pending_.back();
    pending_.pop_back();
    function_ = next->qualname().qualifiedName();
    for (const c10::Argument& argument : next->getSchema().arguments()) type(argument.type());
    auto* graph_function = torch::jit::tryToGraphFunction(*next);
    if (graph_function != nullptr)
      block(graph_function->graph()->block());
    else if (!model_file::is_allowed_method(function_))
      refuse(function_, "it is implemented in C++ and is not a known class", nullptr);
  }
}

/// Scans methods and hooks of a class, and of the types that it consists of.
void OperatorScan::type(const c10::TypePtr& first) {
  std::vector<c10::TypePtr> pending = {first};
  while (!pending.empty()) {
    const c10::TypePtr next = pending.back();
    pending.pop_back();
    if (!next || !types_.insert(next.get()).second) continue;
    for (const c10::TypePtr& inner : next->containedTypes()) pending.push_back(inner);
    const auto owner = next->cast<c10::ClassType>();
    if (!owner || model_file::is_native_class(owner->name() ? owner->name()->qualifiedName() : ""))
      continue;
    for (torch::jit::Function* each : owner->methods()) function(*each);
    for (torch::jit::Function* each : owner->getForwardHooks()) function(*each);
    for (torch::jit::Function* each : owner->getForwardPreHooks()) function(*each);
    for (const c10::ClassAttribute& attribute : owner->getAttributes())
      pending.push_back(attribute.getType());
    for (size_t i = 0; i < owner->numConstants(); ++i) {
      const c10::IValue constant = owner->getConstant(i);
      if (constant.isObject()) pending.push_back(constant.type());
    }
  }
}

void OperatorScan::block(Block* first) {
  std::vector<Block*> pending = {first};
  while (!pending.empty()) {
    Block* next = pending.back();
    pending.pop_back();
    for (Node* each : next->nodes()) {
      node(each);
      for (Block* inner : each->blocks()) pending.push_back(inner);
      for (const c10::Symbol attribute : each->attributeNames()) {
        if (each->kindOf(attribute) == torch::jit::AttributeKind::g)
          pending.push_back(each->g(attribute)->block());
        if (each->kindOf(attribute) == torch::jit::AttributeKind::gs)
          for (const auto& graph : each->gs(attribute)) pending.push_back(graph->block());
      }
    }
  }
}

void OperatorScan::node(Node* node) {
  if (!kinds_.contains(node->kind())) {
    const std::string name = node->kind().toQualString();
    if (may_call(name))
      kinds_.insert(node->kind());
    else
      refuse(name, model_file::denial_reason(name), node);
  }
  for (const torch::jit::Value* output : node->outputs()) {
    const auto output_class = output->type()->cast<c10::ClassType>();
    if (output_class && output_class->name() &&
        !model_file::is_allowed_class(output_class->name()->qualifiedName()))
      refuse(output_class->name()->qualifiedName(),
             "it is an unknown class that is implemented in C++", node);
    type(output->type());
  }
  if (node->kind() == prim::CallFunction || node->kind() == prim::Constant) {
    const torch::jit::Value* value =
        node->kind() == prim::Constant ? node->output() : node->input(0);
    if (const auto called = value->type()->cast<c10::FunctionType>()) function(*called->function());
  } else if (node->kind() == prim::CallMethod) {
    if (const auto owner = node->input(0)->type()->cast<c10::ClassType>())
      if (auto* method = owner->findMethod(node->s(c10::attr::name))) function(*method);
  }
}

void OperatorScan::refuse(const std::string& what, std::string_view reason, const Node* node) {
  const bool known = std::any_of(found_.begin(), found_.end(), [&](const ForbiddenUse& each) {
    return each.what == what && each.function == function_;
  });
  if (!known) found_.push_back({what, std::string(reason), function_, node});
}

}  // namespace t2n::trace
