// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/session/oracle.h"

#include <c10/core/GradMode.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/runtime/graph_executor.h>

#include "src/frontend/run/mode_rules.h"

namespace t2n::trace {
namespace {

using torch::jit::Block;
using torch::jit::Node;

/// Replaces the constant `cuda:0`, or a call of `.cuda()`, from the machine that saved the model.
void move_to_cpu(Node* node) {
  static const auto cuda = c10::Symbol::fromQualString("aten::cuda");
  static const auto pin = c10::Symbol::fromQualString("aten::pin_memory");
  const bool is_device = node->kind() == c10::prim::Constant &&
                         node->output()->type()->kind() == c10::TypeKind::DeviceObjType;
  if (is_device) node->s_(c10::attr::value, "cpu");
  if (node->kind() == cuda || node->kind() == pin)
    node->output()->replaceAllUsesWith(node->input(0));
}

void replace_by_true(Node* node) {
  const torch::jit::WithInsertPoint before(node);
  node->output()->replaceAllUsesWith(node->owningGraph()->insertConstant(true));
}

void adapt_block(Block* block, bool grad_enabled) {
  for (Node* node : block->nodes()) {
    move_to_cpu(node);
    if (grad_enabled && is_grad_query(*node)) replace_by_true(node);
    for (Block* inner : node->blocks()) adapt_block(inner, grad_enabled);
    if (node->hasAttribute(c10::attr::Subgraph))
      adapt_block(node->g(c10::attr::Subgraph)->block(), grad_enabled);
  }
}

/// While an object lives, nothing is fused or specialised: the graph runs operator by operator.
class PlainExecution {
 public:
  PlainExecution()
      : executor_(torch::jit::getExecutorMode().exchange(false)),
        profiling_(torch::jit::getProfilingMode().exchange(false)) {}
  ~PlainExecution() {
    torch::jit::getExecutorMode() = executor_;
    torch::jit::getProfilingMode() = profiling_;
  }
  PlainExecution(const PlainExecution&) = delete;
  PlainExecution& operator=(const PlainExecution&) = delete;

 private:
  torch::jit::GraphOptimizerEnabledGuard optimize_{false};
  bool executor_;
  bool profiling_;
};

}  // namespace

void adapt_for_executor(torch::jit::Module& module, bool unfused) {
  for (const torch::jit::Module& each : module.modules()) {
    const auto object = each._ivalue();
    const auto slot = object->type()->findAttributeSlot("training");
    if (slot && is_inference_module(*object)) object->setSlot(*slot, false);
  }
  for (torch::jit::Function* function : module._ivalue()->compilation_unit()->get_functions()) {
    auto* graph_function = torch::jit::tryToGraphFunction(*function);
    if (graph_function == nullptr) continue;
    graph_function->ensure_defined();
    adapt_block(graph_function->graph()->block(),
                unfused && is_torch_function(function->qualname().qualifiedName()));
  }
}

c10::IValue run_in_executor(torch::jit::Module& module, const std::string& method,
                            std::vector<c10::IValue> arguments) {
  const c10::AutoGradMode no_gradients(false);
  const PlainExecution plain;
  if (method == "forward") return module(std::move(arguments));  // with its hooks
  return module.get_method(method)(std::move(arguments));
}

}  // namespace t2n::trace
