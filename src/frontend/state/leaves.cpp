// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/state/leaves.h"

#include <ATen/core/class_type.h>

#include <unordered_set>

#include "src/diag/error.h"

namespace t2n::trace {
namespace {

std::string below(const std::string& path, const std::string& part) {
  return path.empty() ? part : path + "." + part;
}

class Lister {
 public:
  std::vector<Attribute> take() && { return std::move(out_); }

  void object(const ObjectPtr& object, const std::string& path,
              const std::vector<Holder>& holders) {
    if (!seen_.insert(object.get()).second) return;
    for (size_t i = 0; i < object->type()->numAttributes(); ++i) {
      Attribute attribute{below(path, object->type()->getAttributeName(i)), holders, {}};
      attribute.holders.push_back({object.get(), static_cast<int64_t>(i)});
      const std::vector<Holder> chain = attribute.holders;
      const bool is_object = object->getSlot(i).isObject();
      value(object->getSlot(i), attribute.path, chain, attribute);
      if (!is_object) out_.push_back(std::move(attribute));
    }
  }

 private:
  void value(const c10::IValue& value, const std::string& path, std::vector<Holder> chain,
             Attribute& attribute) {
    if (value.isObject()) return object(value.toObject(), path, chain);
    const bool is_container = value.isList() || value.isGenericDict();
    if (is_container) {
      if (!seen_.insert(value.internalToPointer()).second) return;
      chain.push_back({value.internalToPointer(), -1});
      attribute.holders.push_back(chain.back());
    }
    if (value.isTuple() || value.isList()) {
      const auto elements = value.isTuple()
                                ? c10::ArrayRef<c10::IValue>(value.toTuple()->elements())
                                : value.toListRef();
      for (size_t i = 0; i < elements.size(); ++i)
        this->value(elements[i], below(path, std::to_string(i)), chain, attribute);
    } else if (value.isGenericDict()) {
      for (const auto& entry : value.toGenericDict())
        this->value(entry.value(), below(path, key_text(entry.key())), chain, attribute);
    } else {
      const bool is_tensor = value.isTensor() && value.toTensor().defined();
      attribute.leaves.push_back(
          {path, value, is_tensor ? value.toTensor().sizes().vec() : ir::Ints(), chain});
    }
  }

  static std::string key_text(const c10::IValue& key) {
    return key.isString() ? key.toStringRef() : cat(key);
  }

  std::vector<Attribute> out_;
  std::unordered_set<const void*> seen_;
};

/// Walks in the same order as Lister and replaces values.
class Replacer {
 public:
  Replacer(const std::map<std::string, at::Tensor>& tensors, Undo& undo)
      : tensors_(tensors), undo_(undo) {}

  void object(const ObjectPtr& object, const std::string& path) {
    if (!seen_.insert(object.get()).second) return;
    for (size_t i = 0; i < object->type()->numAttributes(); ++i) {
      const std::string inner = below(path, object->type()->getAttributeName(i));
      const c10::IValue old = object->getSlot(i);
      c10::IValue replacement = replaced(old, inner);
      if (replacement.is(old)) continue;
      undo_.keep_slot(object, i);
      object->setSlot(i, std::move(replacement));
    }
  }

 private:
  c10::IValue replaced(const c10::IValue& value, const std::string& path) {
    if (value.isObject()) {
      object(value.toObject(), path);
    } else if (value.isTuple()) {
      return tuple(value, path);
    } else if (value.isList() || value.isGenericDict()) {
      if (seen_.insert(value.internalToPointer()).second) container(value, path);
    } else if (const auto found = tensors_.find(path); found != tensors_.end()) {
      return found->second;
    }
    return value;
  }

  c10::IValue tuple(const c10::IValue& value, const std::string& path) {
    const auto old = value.toTuple();
    std::vector<c10::IValue> elements;
    bool changed = false;
    for (const c10::IValue& element : old->elements()) {
      elements.push_back(replaced(element, below(path, std::to_string(elements.size()))));
      changed = changed || !elements.back().is(element);
    }
    if (!changed) return value;
    const auto type = old->type();
    if (type->name()) return c10::ivalue::Tuple::createNamed(std::move(elements), type);
    return c10::ivalue::Tuple::create(std::move(elements));
  }

  void container(const c10::IValue& value, const std::string& path) {
    const std::string prefix = path + ".";
    const auto first = tensors_.lower_bound(prefix);
    const bool contains_replacement = first != tensors_.end() && first->first.starts_with(prefix);
    if (contains_replacement) undo_.keep_container(value);
    if (value.isList()) {
      c10::impl::GenericList list = value.toList();
      for (size_t i = 0; i < list.size(); ++i) {
        const c10::IValue old = list.get(i);
        c10::IValue replacement = replaced(old, below(path, std::to_string(i)));
        if (!replacement.is(old)) list.set(i, std::move(replacement));
      }
      return;
    }
    c10::impl::GenericDict dict = value.toGenericDict();
    for (const auto& entry : dict.copy()) {
      const std::string key = entry.key().isString() ? entry.key().toStringRef() : cat(entry.key());
      c10::IValue replacement = replaced(entry.value(), below(path, key));
      if (!replacement.is(entry.value()))
        dict.insert_or_assign(entry.key(), std::move(replacement));
    }
  }

  const std::map<std::string, at::Tensor>& tensors_;
  Undo& undo_;
  std::unordered_set<const void*> seen_;
};

}  // namespace

std::vector<Attribute> list_attributes(const ObjectPtr& model) {
  Lister lister;
  lister.object(model, "", {});
  return std::move(lister).take();
}

at::Tensor tensor_at(const std::vector<Attribute>& attributes, const std::string& path) {
  for (const Attribute& attribute : attributes)
    if (path.starts_with(attribute.path))
      for (const ModelValue& leaf : attribute.leaves)
        if (leaf.path == path && leaf.value.isTensor()) return leaf.value.toTensor();
  return {};
}

void replace_leaves(const ObjectPtr& model, const std::map<std::string, at::Tensor>& tensors,
                    Undo& undo) {
  if (!tensors.empty()) Replacer(tensors, undo).object(model, "");
}

void Undo::keep_slot(const ObjectPtr& object, size_t slot) {
  add([object, slot, old = object->getSlot(slot)] { object->setSlot(slot, old); });
}

void Undo::keep_container(const c10::IValue& container) {
  if (container.isList()) {
    const c10::impl::GenericList old = container.toList().copy();
    add([container, old] {
      c10::impl::GenericList list = container.toList();
      list.clear();
      for (const c10::IValue& element : old) list.push_back(element);
    });
  } else if (container.isGenericDict()) {
    const c10::impl::GenericDict old = container.toGenericDict().copy();
    add([container, old] {
      c10::impl::GenericDict dict = container.toGenericDict();
      dict.clear();
      for (const auto& entry : old) dict.insert(entry.key(), entry.value());
    });
  }
}

void Undo::run() {
  for (; !steps_.empty(); steps_.pop_back()) steps_.back()();
}

}  // namespace t2n::trace
