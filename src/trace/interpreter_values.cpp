// The interpreter's containers, objects and types: what torch's own interpreter builds in.
#include <torch/csrc/jit/ir/constants.h>

#include <algorithm>

#include "src/diag/error.h"
#include "src/trace/interpreter.h"

namespace t2n::trace {
namespace {

namespace prim = c10::prim;
using torch::jit::Node;

c10::IValue make_list(Node* node, const std::vector<Slot>& elements) {
  const auto type = node->output()->type()->expect<c10::ListType>()->getElementType();
  c10::impl::GenericList list(type);
  list.reserve(elements.size());
  for (const Slot& element : elements) list.push_back(element.value);
  return c10::IValue(std::move(list));
}

c10::IValue make_tuple(Node* node, const std::vector<Slot>& elements) {
  std::vector<c10::IValue> values;
  for (const Slot& element : elements) values.push_back(element.value);
  const auto type = node->output()->type()->expect<c10::TupleType>();
  if (type->name()) return c10::ivalue::Tuple::createNamed(std::move(values), type);
  return c10::ivalue::Tuple::create(std::move(values));
}

c10::IValue make_dict(Node* node, const std::vector<Slot>& elements) {
  const auto type = node->output()->type()->expect<c10::DictType>();
  c10::impl::GenericDict dict(type->getKeyType(), type->getValueType());
  for (size_t i = 0; i + 1 < elements.size(); i += 2)
    dict.insert_or_assign(elements[i].value, elements[i + 1].value);
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

std::vector<Shadow> shadows_of(const std::vector<Slot>& slots) {
  std::vector<Shadow> out;
  for (const Slot& slot : slots) out.push_back(slot.shadow);
  return out;
}

}  // namespace

void Interpreter::run_construct(Node* node, Env& env) {
  const Slots inputs = slots(node->inputs(), env);
  c10::IValue made;
  switch (node->kind()) {
    case prim::ListConstruct:
      made = make_list(node, inputs);
      containers_.set(made, shadows_of(inputs));
      break;
    case prim::TupleConstruct:
      made = make_tuple(node, inputs);
      containers_.set(made, shadows_of(inputs));
      break;
    case prim::DictConstruct: made = make_dict(node, inputs); break;
    case prim::CreateObject: made = make_object(node); break;
    default: made = is_instance(node, inputs[0].value); break;
  }
  set_outputs(node, env, {{std::move(made), nullptr}});
}

void Interpreter::run_unpack(Node* node, Env& env) {
  const Slot container = slot(node->input(0), env);
  state_.unpacks(container.value);
  const std::vector<Shadow> shadows = containers_.find(container.value);
  const auto at = [&](size_t i) { return i < shadows.size() ? shadows[i] : container.shadow; };
  std::vector<c10::IValue> elements;
  if (container.value.isTuple())
    for (const c10::IValue& element : container.value.toTuple()->elements())
      elements.push_back(element);
  else
    for (const c10::IValue& element : container.value.toListRef()) elements.push_back(element);

  Slots out;
  if (node->kind() == prim::TupleIndex) {
    const int64_t index = slot(node->input(1), env).value.toInt();
    const auto place =
        static_cast<size_t>(index < 0 ? index + static_cast<int64_t>(elements.size()) : index);
    out.push_back({elements.at(place), at(place)});
  } else if (node->kind() == prim::TupleSlice) {
    std::vector<c10::IValue> slice(elements.begin() + node->i(c10::attr::beg),
                                   elements.begin() + node->i(c10::attr::end));
    out.push_back({c10::ivalue::Tuple::create(std::move(slice)), nullptr});
  } else {
    if (elements.size() != node->outputs().size())
      throw Error("forward-failed",
                  cat("a list of ", elements.size(), " elements is unpacked into ",
                      node->outputs().size(), " names"));
    for (size_t i = 0; i < elements.size(); ++i) out.push_back({elements[i], at(i)});
  }
  set_outputs(node, env, std::move(out));
}

}  // namespace t2n::trace
