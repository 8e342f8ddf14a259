// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/numbers/marks.h"

#include <unordered_set>
#include <vector>

#include "src/diag/error.h"
#include "src/frontend/load/elements.h"

namespace t2n::trace {
namespace {

using Reached = std::unordered_set<const void*>;
using Reach = std::function<void(const c10::IValue&)>;
using Rewrite = std::function<c10::IValue(const c10::IValue&)>;

const void* identity(const c10::IValue& value) {
  const bool has_mark = is_container(value) || value.isString();
  return has_mark ? value.internalToPointer() : nullptr;
}

/// Calls `visit` for the value and everything in it; each container and object once.
void walk(const c10::IValue& value, Reached& seen, const Reach& visit) {
  if (is_container(value) || value.isObject())
    if (!seen.insert(value.internalToPointer()).second) return;
  visit(value);
  for_each_part(value, [&](const c10::IValue& each) { walk(each, seen, visit); });
}

/// Replaces every leaf by the result of `change`. Changed tuples are rebuilt.
c10::IValue changed(const c10::IValue& value, Reached& seen, const Rewrite& change) {
  if (is_container(value) || value.isObject())
    if (!seen.insert(value.internalToPointer()).second) return value;
  if (value.isList()) {
    c10::impl::GenericList list = value.toList();
    for (size_t i = 0; i < list.size(); ++i) {
      const c10::IValue old = list.get(i);
      c10::IValue result = changed(old, seen, change);
      if (!result.is(old)) list.set(i, std::move(result));
    }
    return value;
  }
  if (value.isTuple()) {
    std::vector<c10::IValue> elements;
    bool any = false;
    for (const c10::IValue& element : value.toTupleRef().elements()) {
      elements.push_back(changed(element, seen, change));
      any = any || !elements.back().is(element);
    }
    if (!any) return value;
    return tuple_like(value, std::move(elements));
  }
  if (value.isGenericDict()) {
    c10::impl::GenericDict dict = value.toGenericDict();
    for (const auto& entry : dict.copy()) {
      c10::IValue result = changed(entry.value(), seen, change);
      if (!result.is(entry.value())) dict.insert_or_assign(entry.key(), std::move(result));
    }
    return value;
  }
  if (value.isObject()) {
    const auto object = value.toObject();
    for (size_t i = 0; i < object->slots().size(); ++i) {
      const c10::IValue old = object->getSlot(i);
      c10::IValue result = changed(old, seen, change);
      if (!result.is(old)) object->setSlot(i, std::move(result));
    }
    return value;
  }
  return change(value);
}

using Unmarked = std::unordered_map<const void*, c10::IValue>;

c10::IValue plain(const c10::IValue& value, Unmarked& known);

c10::IValue plain_list(const c10::IValue& value, Unmarked& known) {
  c10::impl::GenericList out(value.toList().elementType());
  bool any = false;
  for (const c10::IValue& element : value.toListRef()) {
    out.push_back(plain(element, known));
    any = any || !c10::IValue(out.get(out.size() - 1)).is(element);
  }
  return any ? c10::IValue(std::move(out)) : value;
}

c10::IValue plain_dict(const c10::IValue& value, Unmarked& known) {
  const c10::impl::GenericDict dict = value.toGenericDict();
  c10::impl::GenericDict out(dict.keyType(), dict.valueType());
  bool any = false;
  for (const auto& entry : dict) {
    c10::IValue element = plain(entry.value(), known);
    any = any || !element.is(entry.value());
    out.insert(entry.key(), std::move(element));
  }
  return any ? c10::IValue(std::move(out)) : value;
}

c10::IValue plain_tuple(const c10::IValue& value, Unmarked& known) {
  std::vector<c10::IValue> elements;
  bool any = false;
  for (const c10::IValue& element : value.toTupleRef().elements()) {
    elements.push_back(plain(element, known));
    any = any || !elements.back().is(element);
  }
  return any ? tuple_like(value, std::move(elements)) : value;
}

/// The value without marks; parts that contain marks are rebuilt. Aliased lists remain aliased, and
/// the program's own containers are never written to.
c10::IValue plain(const c10::IValue& value, Unmarked& known) {
  if (value.isTuple()) return plain_tuple(value, known);
  if (!is_container(value)) return unmarked(value);
  const auto found = known.find(value.internalToPointer());
  if (found != known.end()) return found->second;
  c10::IValue out = value.isList() ? plain_list(value, known) : plain_dict(value, known);
  known.emplace(value.internalToPointer(), out);
  return out;
}

std::string kind_of(const c10::IValue& value) {
  if (value.isTensor()) return "tensor";
  if (value.isList()) return "list";
  if (value.isGenericDict()) return "dictionary";
  return value.isObject() ? "object" : value.tagKind();
}

[[noreturn]] void refuse_mark(const c10::IValue& value, const Mark& mark, const std::string& what) {
  throw Error("data-dependent-value",
              cat("the ", kind_of(value), " given by ", what, " depends on the values of a tensor"),
              cat("it depends on ", origin_of(mark),
                  "; the exported model would fix the choice of this run"),
              "choose with torch.where, or index a stacked tensor with a tensor");
}

}  // namespace

c10::IValue tuple_like(const c10::IValue& value, std::vector<c10::IValue> elements) {
  const auto type = value.type()->cast<c10::TupleType>();
  if (type && type->name()) return c10::ivalue::Tuple::createNamed(std::move(elements), type);
  return c10::ivalue::Tuple::create(std::move(elements));
}

ir::Dim length_of(const ListLayout& list_layout) {
  ir::Dim sum;
  for (const ListSegment& segment : list_layout) sum = sum + segment.length;
  return sum;
}

bool holds_tensors(const c10::IValue& value) {
  bool any = false;
  Reached seen;
  walk(value, seen, [&](const c10::IValue& part) { any = any || part.isTensor(); });
  return any;
}

std::vector<at::Tensor> tensors_in(const c10::IValue& value) {
  std::vector<at::Tensor> out;
  Reached seen;
  walk(value, seen, [&](const c10::IValue& part) {
    if (part.isTensor() && part.toTensor().defined()) out.push_back(part.toTensor());
  });
  return out;
}

bool is_container(const c10::IValue& value) { return value.isList() || value.isGenericDict(); }

int64_t count_of(const c10::IValue& container) {
  return static_cast<int64_t>(container.isList() ? container.toListRef().size()
                                                 : container.toGenericDict().size());
}

Mark Marks::of(const c10::IValue& value) const {
  const void* key = identity(value);
  if (key == nullptr) return mark_of(value);
  const auto found = entries_.find(key);
  return found == entries_.end() ? nullptr : found->second.mark;
}

void Marks::set(const c10::IValue& value, Mark mark) {
  const void* key = identity(value);
  T2N_ASSERT(key != nullptr, "a value of type ", value.tagKind(), " has no mark");
  if (mark)
    entries_[key] = {value, derived_mark(mark), {}};
  else
    entries_.erase(key);
}

ListLayout Marks::list_layout(const c10::IValue& list) const {
  const int64_t count = count_of(list);
  const auto found = entries_.find(identity(list));
  if (found == entries_.end()) return {{ir::Dim(count), count}};
  int64_t known = 0;
  for (const ListSegment& segment : found->second.list_layout) known += segment.count;
  return known == count ? found->second.list_layout : ListLayout();
}

void Marks::set_list_layout(const c10::IValue& list, ListLayout list_layout) {
  const auto found = entries_.find(identity(list));
  if (found != entries_.end()) found->second.list_layout = std::move(list_layout);
}

Mark Marks::reach(const c10::IValue& value) const {
  if (is_number(value)) return derived_mark(mark_of(value));
  if (value.isTensor() || value.isNone()) return nullptr;
  Mark out;
  Reached seen;
  walk(value, seen, [&](const c10::IValue& part) { out = either(out, of(part)); });
  return derived_mark(out);
}

Mark Marks::reach_all(c10::ArrayRef<c10::IValue> values) const {
  Mark out;
  for (const c10::IValue& value : values) out = either(out, reach(value));
  return out;
}

c10::IValue Marks::without(const c10::IValue& value) const {
  if (is_number(value)) return unmarked(value);
  Unmarked known;
  return plain(value, known);
}

void Marks::strip(const c10::IValue& container) const {
  Reached seen;
  changed(container, seen, [](const c10::IValue& leaf) { return unmarked(leaf); });
}

/// A number or string with one more mark; any other value unchanged.
c10::IValue Marks::tainted_leaf(const c10::IValue& leaf, const Mark& mark) {
  if (is_number(leaf)) return marked(leaf, join(mark_of(leaf), mark));
  if (!leaf.isString()) return leaf;
  c10::IValue fresh(leaf.toStringRef());  // the operand may be a literal of the program
  set(fresh, join(of(leaf), mark));
  return fresh;
}

void Marks::taint_numbers(const c10::IValue& container, const Mark& mark) {
  Reached seen;
  changed(container, seen, [&](const c10::IValue& leaf) { return tainted_leaf(leaf, mark); });
}

c10::IValue Marks::tainted(const c10::IValue& value, const Mark& mark, const std::string& what) {
  if (!mark) return value;
  Reached inside;
  if (is_data(mark))
    walk(value, inside, [&](const c10::IValue& part) {
      const bool is_nested = is_container(part) && !part.is(value);
      if (is_nested || part.isObject()) refuse_mark(part, mark, what);
    });
  Reached seen;
  c10::IValue out = changed(value, seen, [&](const c10::IValue& leaf) {
    if (is_data(mark) && !is_number(leaf) && !leaf.isString()) refuse_mark(leaf, mark, what);
    return tainted_leaf(leaf, mark);
  });
  Reached again;
  walk(out, again, [&](const c10::IValue& part) {
    if (is_container(part)) set(part, join(of(part), mark));
  });
  return out;
}

c10::IValue Marks::picked(const c10::IValue& value, const Mark& mark, const std::string& what) {
  if (is_data(mark) && is_container(value)) refuse_mark(value, mark, what);
  return tainted(value, mark, what);
}

c10::IValue Marks::after_iteration(const c10::IValue& value) const {
  Reached seen;
  return changed(value, seen, [](const c10::IValue& leaf) {
    const Mark mark = mark_of(leaf);
    if (data_formula(mark)) return marked(leaf, derived_mark(mark));
    return is_size(mark) && depends_on_iteration(mark) ? marked(leaf, opaque_mark(sizes_of(mark)))
                                                       : leaf;
  });
}

}  // namespace t2n::trace
