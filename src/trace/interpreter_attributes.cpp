// Attributes: read, set, and watched for values without end.
#include <algorithm>
#include <utility>

#include "src/diag/error.h"
#include "src/trace/interpreter.h"
#include "src/trace/mode_rules.h"
#include "src/trace/nesting.h"

namespace t2n::trace {

namespace prim = c10::prim;
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

/// Torch keeps no place of an assignment to an attribute: it is looked for near the value's.
Place Interpreter::assignment_place(const Node* node) {
  const std::string& name = node->s(c10::attr::name);
  std::vector<const Node*> neighbours = {node->input(1)->node()};
  for (const bool back : {true, false})
    for (const Node* near = node; near->kind() != prim::Return && near->kind() != prim::Param;
         near = back ? near->prev() : near->next())
      neighbours.push_back(near);
  for (const Node* near : neighbours) {
    ir::Source source = sources_.find_assignment(near->sourceRange(), name);
    if (!source.frames.empty()) return {scope_, ir::add_source(graph_, std::move(source))};
  }
  return place();
}

void Interpreter::run_set_attr(Node* node, Env& env) {
  const auto object = value(node->input(0), env).toObject();
  const size_t at = object->type()->getAttributeSlot(node->s(c10::attr::name));
  const c10::IValue& held = value(node->input(1), env);
  state_.sets_attribute(object, at, assignment_place(node), is_data(marks_.reach(held)));
  note_write(object);
  object->setSlot(at, held);
  require_tree(*object->type()->getAttribute(at), held);
}

/// After something took a value of this type: one that contains itself, or has endless levels, is
/// nothing that can be followed. What contains itself does so through the value that was put in.
void Interpreter::require_tree(const c10::Type& type, const c10::IValue& held) {
  const bool has_inner = held.isList() || held.isTuple() || held.isGenericDict() || held.isObject();
  if (!has_inner || !may_nest(type)) return;
  constexpr size_t kMost = 20'000'000;
  constexpr size_t kLeast = 200;  // so that there are at most 100'000 such values
  nested_ += std::max(kLeast, check_nesting(held, "trace-limit", "a value of the model"));
  if (nested_ > kMost)
    throw Error("trace-limit", "the model puts values inside of values without end",
                cat("more than ", kMost, " of them were looked at"));
}

}  // namespace t2n::trace
