// SPDX-License-Identifier: Apache-2.0
// Attributes, containers, objects and type tests, which are built into torch's interpreter.
#include <torch/csrc/jit/ir/constants.h>

#include <algorithm>

#include "src/diag/error.h"
#include "src/frontend/load/nesting.h"
#include "src/frontend/run/interpreter.h"
#include "src/frontend/run/mode_rules.h"

namespace t2n::trace {
namespace {

namespace prim = c10::prim;
using torch::jit::Node;

c10::IValue make_list(Node* node, const std::vector<c10::IValue>& elements) {
  const auto type = node->output()->type()->expect<c10::ListType>()->getElementType();
  c10::impl::GenericList list(type);
  list.reserve(elements.size());
  for (const c10::IValue& element : elements) list.push_back(element);
  return c10::IValue(std::move(list));
}

c10::IValue make_tuple(Node* node, const std::vector<c10::IValue>& elements) {
  std::vector<c10::IValue> values = elements;
  const auto type = node->output()->type()->expect<c10::TupleType>();
  if (type->name()) return c10::ivalue::Tuple::createNamed(std::move(values), type);
  return c10::ivalue::Tuple::create(std::move(values));
}

c10::IValue make_dict(Node* node, const std::vector<c10::IValue>& elements) {
  const auto type = node->output()->type()->expect<c10::DictType>();
  c10::impl::GenericDict dict(type->getKeyType(), type->getValueType());
  for (size_t i = 0; i + 1 < elements.size(); i += 2)
    dict.insert_or_assign(unmarked(elements[i]), elements[i + 1]);
  return c10::IValue(std::move(dict));
}

c10::IValue make_object(Node* node) {
  const auto type = node->output()->type()->expect<c10::ClassType>();
  return c10::ivalue::Object::create(c10::StrongTypePtr(type->compilation_unit(), type),
                                     type->numAttributes());
}

bool is_instance(Node* node, const c10::IValue& value) {
  const auto& types = node->tys(c10::attr::types);
  return std::any_of(types.begin(), types.end(),
                     [&](const c10::TypePtr& type) { return value.type()->isSubtypeOf(*type); });
}

}  // namespace

void Interpreter::run_get_attr(Node* node, Environment& env) {
  const auto object = env.at(node->input(0)).toObject();
  const size_t slot = object->type()->getAttributeSlot(node->s(c10::attr::name));
  state_.reads_attribute(*object, slot);
  c10::IValue attribute = object->getSlot(slot);
  if (attribute.isBool() && attribute.toBool() && node->s(c10::attr::name) == "training" &&
      names_.is_module(*object)) {
    warn_of_training();
    attribute = !is_inference_module(*object);
  }
  env.set_outputs(node, {std::move(attribute)});
}

void Interpreter::run_set_attr(Node* node, Environment& env) {
  const auto object = env.at(node->input(0)).toObject();
  const size_t slot = object->type()->getAttributeSlot(node->s(c10::attr::name));
  const c10::IValue& attribute = env.at(node->input(1));
  branches_.speculation().require_own(object);
  state_.sets_attribute(object, slot, position_.assignment(node), is_data(marks_.reach(attribute)));
  running_.note_write(object);
  object->setSlot(slot, attribute);
  nesting_.require_tree(*object->type()->getAttribute(slot), attribute);
}

void Interpreter::run_construct(Node* node, Environment& env) {
  const Values inputs = take(node, env);
  c10::IValue result;
  switch (node->kind()) {
    case prim::ListConstruct: result = make_list(node, inputs); break;
    case prim::TupleConstruct: result = make_tuple(node, inputs); break;
    case prim::DictConstruct:
      result = make_dict(node, inputs);
      for (size_t i = 0; i < inputs.size(); i += 2)
        container_operations_.guard_key(result, inputs[i], "dict");
      break;
    case prim::CreateObject: result = make_object(node); break;
    default: result = is_instance(node, marks_.without(inputs[0])); break;
  }
  if (node->kind() != prim::CreateObject && node->kind() != prim::isinstance &&
      may_nest(*node->output()->type()))
    for (const c10::IValue& each : inputs) nesting_.require_tree(*node->output()->type(), each);
  running_.note_created(result);
  branches_.speculation().note_created(result);
  env.set_outputs(node, {std::move(result)});
}

/// Unpacking a list requires that it has one element per name.
void Interpreter::mark_unpacked(const c10::IValue& list, Values& elements) {
  const Mark length = marks_.of(list);
  if (!length) return;
  const auto count = static_cast<int64_t>(elements.size());
  if (is_size(length))
    return decisions_.add_guard({*exact_size(length), ir::Relation::eq, ir::Dim(count)});
  if (!is_data(length)) return (void)decisions_.note_number(length, c10::IValue(count));
  for (c10::IValue& element : elements)
    element = marks_.picked(element, length, "an element of a list");
}

void Interpreter::run_unpack(Node* node, Environment& env) {
  const Values inputs = take(node, env);
  const c10::IValue& container = inputs[0];
  state_.unpacks(container);
  Values elements =
      container.isTuple() ? container.toTupleRef().elements().vec() : container.toListRef().vec();
  if (node->kind() == prim::TupleIndex) {
    const int64_t index = inputs[1].toInt();
    const size_t position = index < 0 ? index + static_cast<int64_t>(elements.size()) : index;
    return env.set_outputs(node, {elements.at(position)});
  }
  if (node->kind() == prim::TupleSlice &&
      (node->i(c10::attr::beg) < 0 || node->i(c10::attr::beg) > node->i(c10::attr::end) ||
       node->i(c10::attr::end) > static_cast<int64_t>(elements.size())))
    throw Error("forward-failed", "a slice of a tuple reaches beyond its end");
  if (node->kind() == prim::TupleSlice)
    return env.set_outputs(
        node, {c10::ivalue::Tuple::create(Values(elements.begin() + node->i(c10::attr::beg),
                                                 elements.begin() + node->i(c10::attr::end)))});
  if (elements.size() != node->outputs().size())
    throw Error("forward-failed", cat("a list of ", elements.size(), " elements is unpacked into ",
                                      node->outputs().size(), " names"));
  if (container.isList()) mark_unpacked(container, elements);
  env.set_outputs(node, std::move(elements));
}

void Interpreter::run_unwrap(Node* node, Environment& env) {
  c10::IValue value_or_none = env.at(node->input(0));
  if (value_or_none.isNone())
    throw Error("forward-failed", "None is used where the model declares a value", {},
                "do the sample inputs fit the model? `t2nnef inspect` shows its arguments");
  env.set_outputs(node, {std::move(value_or_none)});
}

}  // namespace t2n::trace
