// SPDX-License-Identifier: Apache-2.0
// Modes that a program queries, and contexts that change them: training, gradients, autocast.
#include <algorithm>
#include <utility>

#include "src/diag/error.h"
#include "src/frontend/run/interpreter.h"
#include "src/frontend/run/mode_rules.h"

namespace t2n::trace {
namespace {

namespace prim = c10::prim;
using torch::jit::Node;

c10::Symbol is_inference() {
  static const auto symbol = c10::Symbol::fromQualString("aten::is_inference");
  return symbol;
}

/// Refuses autocast: torch's executor rewrites the operations inside it to half precision.
void refuse_autocast(const c10::ivalue::Object& object) {
  const std::string name = object.type()->name() ? object.type()->name()->qualifiedName() : "";
  if (name.find(".autocast_mode.") == std::string::npos) return;
  const auto enabled = object.type()->findAttributeSlot("_enabled");
  if (enabled && !unmarked(object.getSlot(*enabled)).toBool()) return;
  throw Error("unsupported-op", "the model computes under torch.autocast",
              "torch decides at run time which operations it runs in lower precision",
              "save the model without autocast, or convert it with model.half()");
}

}  // namespace

void Interpreter::warn_of_training() {
  if (std::exchange(reported_training_, true) || !options_.report) return;
  options_.report(Diagnostic{
      .severity = Severity::warning,
      .id = "model-training",
      .message = "the model was saved in training mode",
      .where = {},
      .details = {},
      .why =
          "torch's dropout and batch norm are exported as in inference, all else as in this mode",
      .help = "call model.eval() before saving, unless this is intended"});
}

bool Interpreter::is_mode_query(const Node* node) {
  return is_grad_query(*node) || node->kind() == is_inference();
}

/// Torch's own modules query whether gradients are on to choose between equivalent implementations.
/// Here the answer is yes, which keeps fused operators (`_native_multi_head_attention`) out of the
/// graph. All other code gets the answer of inference: only parameters require gradients. Our own
/// mode of execution is never visible.
c10::IValue Interpreter::mode_answer(Node* node, const Environment& env) {
  if (node->kind() == is_inference()) return false;
  if (is_torch_function(position_.calls.function)) {
    fused_.begin_plain();
    return true;
  }
  if (node->kind() != prim::requires_grad) return false;
  const at::Tensor& tensor = env.at(node->input(0)).toTensor();
  return tensor.defined() && tensor.requires_grad();
}

void Interpreter::run_with(Node* node, Environment& env) {
  const c10::IValue context = env.at(node->input(0));
  const auto object = context.toObject();
  const bool enter = node->kind() == prim::Enter;
  refuse_autocast(*object);
  Values arguments = {context};
  if (!enter) arguments.resize(4);  // type, value and traceback: None, as no exception was raised
  // `with torch.no_grad()` and similar contexts change nothing that is recorded.
  Values results = {c10::IValue()};
  const bool grad_mode = object->type()->name() && object->type()->name()->qualifiedName().find(
                                                       "grad_mode") != std::string::npos;
  if (!grad_mode)
    results =
        call(object->type()->getMethod(enter ? "__enter__" : "__exit__"), std::move(arguments));
  position_.node = node;
  if (!node->outputs().empty()) env.set_outputs(node, std::move(results));
}

}  // namespace t2n::trace
