// Reads and sets attributes.
#include <utility>

#include "src/frontend/run/interpreter.h"
#include "src/frontend/run/mode_rules.h"

namespace t2n::trace {

using torch::jit::Node;

void Interpreter::run_get_attr(Node* node, Env& env) {
  const auto object = value(node->input(0), env).toObject();
  const size_t slot = object->type()->getAttributeSlot(node->s(c10::attr::name));
  state_.reads_attribute(*object, slot);
  c10::IValue attribute = object->getSlot(slot);
  if (attribute.isBool() && attribute.toBool() && node->s(c10::attr::name) == "training" &&
      names_.is_module(*object)) {
    warn_of_training();
    attribute = !is_inference_module(*object);
  }
  set_outputs(node, env, {std::move(attribute)});
}

void Interpreter::run_set_attr(Node* node, Env& env) {
  const auto object = value(node->input(0), env).toObject();
  const size_t slot = object->type()->getAttributeSlot(node->s(c10::attr::name));
  const c10::IValue& attribute = value(node->input(1), env);
  speculation_.require_own(object);
  state_.sets_attribute(object, slot, position_.assignment(node), is_data(marks_.reach(attribute)));
  loops_.note_write(object);
  object->setSlot(slot, attribute);
  nesting_.require_tree(*object->type()->getAttribute(slot), attribute);
}

}  // namespace t2n::trace
