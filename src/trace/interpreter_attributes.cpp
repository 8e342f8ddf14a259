// Reads and sets attributes.
#include <utility>

#include "src/trace/interpreter.h"
#include "src/trace/mode_rules.h"

namespace t2n::trace {

using torch::jit::Node;

void Interpreter::run_get_attr(Node* node, Env& env) {
  const auto object = value(node->input(0), env).toObject();
  const size_t at = object->type()->getAttributeSlot(node->s(c10::attr::name));
  state_.reads_attribute(*object, at);
  c10::IValue held = object->getSlot(at);
  if (held.isBool() && held.toBool() && node->s(c10::attr::name) == "training" &&
      names_.is_module(*object)) {
    warn_of_training();
    held = !is_inference_module(*object);
  }
  set_outputs(node, env, {std::move(held)});
}

void Interpreter::run_set_attr(Node* node, Env& env) {
  const auto object = value(node->input(0), env).toObject();
  const size_t at = object->type()->getAttributeSlot(node->s(c10::attr::name));
  const c10::IValue& held = value(node->input(1), env);
  speculation_.require_own(object);
  state_.sets_attribute(object, at, position_.assignment(node), is_data(marks_.reach(held)));
  loops_.note_write(object);
  object->setSlot(at, held);
  nesting_.require_tree(*object->type()->getAttribute(at), held);
}

}  // namespace t2n::trace
