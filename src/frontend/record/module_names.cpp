// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/record/module_names.h"

namespace t2n::trace {

std::string class_name_of(const c10::Type& type) {
  const auto* named = type.castRaw<c10::NamedType>();
  if (named == nullptr || !named->name()) return type.str();
  return named->name()->name();
}

namespace {

bool is_torchbind(const c10::ivalue::Object& object) {
  return object.type()->name() &&
         object.type()->name()->qualifiedName().starts_with("__torch__.torch.classes.");
}

/// "fc._packed_params._packed_params" -> "fc": attributes of packed parameters have such names.
std::string without_packed(std::string path) {
  for (;;) {
    const size_t dot = path.rfind('.');
    const std::string last = path.substr(dot == std::string::npos ? 0 : dot + 1);
    if (dot == std::string::npos || (last != "_packed_params" && last != "param")) return path;
    path.resize(dot);
  }
}

}  // namespace

ModuleNames::ModuleNames(const torch::jit::Module& module, ir::Graph& graph) : graph_(graph) {
  graph_.scopes[0].module_class = class_name_of(*module.type());
  visit_object(module._ivalue(), "", 0);
}

void ModuleNames::visit_object(const c10::intrusive_ptr<c10::ivalue::Object>& object,
                               const std::string& path, ir::ScopeId scope) {
  if (!scopes_.emplace(object.get(), scope).second) return;
  by_path_.emplace(path, scope);
  const auto type = object->type();
  for (size_t i = 0; i < type->numAttributes(); ++i) {
    const std::string& attribute = type->getAttributeName(i);
    visit_value(object->getSlot(i), path.empty() ? attribute : path + "." + attribute, attribute,
                scope);
  }
}

void ModuleNames::visit_value(const c10::IValue& value, const std::string& path,
                              const std::string& attribute, ir::ScopeId parent) {
  if (value.isTensor()) {
    if (value.toTensor().defined()) tensors_.emplace(value.toTensor().unsafeGetTensorImpl(), path);
  } else if (value.isObject()) {
    const auto object = value.toObject();
    if (is_torchbind(*object)) {
      packed_.emplace(object.get(), without_packed(path));
      return;
    }
    if (scopes_.contains(object.get())) return;
    visit_object(object, path,
                 ir::add_scope(graph_, parent, class_name_of(*object->type()), attribute));
  } else if (value.isTuple()) {
    size_t index = 0;
    for (const c10::IValue& element : value.toTuple()->elements())
      visit_value(element, path + "." + std::to_string(index++), attribute, parent);
  } else if (value.isList()) {
    size_t index = 0;
    for (const c10::IValue& element : value.toListRef())
      visit_value(element, path + "." + std::to_string(index++), attribute, parent);
  } else if (value.isGenericDict()) {
    for (const auto& entry : value.toGenericDict())
      if (entry.key().isString())
        visit_value(entry.value(), path + "." + entry.key().toStringRef(), attribute, parent);
  }
}

std::string ModuleNames::tensor_path(const at::Tensor& tensor) const {
  const auto found = tensors_.find(tensor.unsafeGetTensorImpl());
  return found == tensors_.end() ? std::string() : found->second;
}

std::string ModuleNames::packed_path(const c10::ivalue::Object& packed) const {
  const auto found = packed_.find(&packed);
  return found == packed_.end() ? std::string() : found->second;
}

ir::ScopeId ModuleNames::scope(const c10::ivalue::Object& object) const {
  const auto found = scopes_.find(&object);
  return found == scopes_.end() ? -1 : found->second;
}

ir::ScopeId ModuleNames::scope_at(const std::string& path) const {
  const auto found = by_path_.find(path);
  return found == by_path_.end() ? 0 : found->second;
}

bool ModuleNames::is_module(const c10::ivalue::Object& object) const {
  return object.type()->is_module();
}

}  // namespace t2n::trace
