// SPDX-License-Identifier: Apache-2.0
// Operations of lists and dictionaries that move elements without reading them. Torch runs them on
// marked numbers unchanged; this file propagates the marks of positions, keys and lengths.
#include "src/frontend/run/container_operations.h"

#include <ATen/core/jit_type.h>

#include <algorithm>
#include <array>

#include "src/diag/error.h"
#include "src/diag/one_of.h"

namespace t2n::trace {
namespace {

using ir::Dim;
using torch::jit::Stack;

/// True for operations that return, or remove, an element or entries of a container.
bool returns_elements(const std::string& name) {
  constexpr std::array<std::string_view, 9> kNames = {
      "aten::__getitem__", "aten::pop",    "aten::popitem", "aten::get",  "aten::select",
      "aten::setdefault",  "aten::values", "aten::keys",    "aten::items"};
  return is_one_of(name, kNames);
}

/// True for operations that return a new list.
bool returns_list(const std::string& name) {
  constexpr std::array<std::string_view, 5> kNames = {"aten::add", "aten::mul", "aten::slice",
                                                      "aten::copy", "aten::list"};
  return is_one_of(name, kNames);
}

bool is_element(const c10::FunctionSchema& schema, size_t index) {
  return index < schema.arguments().size() &&
         schema.arguments()[index].type()->kind() == c10::TypeKind::VarType;
}

const c10::IValue& container_of(const Stack& inputs) {
  return is_container(inputs[0]) ? inputs[0] : inputs[1];
}

/// The type of a container's elements.
c10::TypePtr element_type(const c10::IValue& container) {
  return container.isList() ? container.toList().elementType()
                            : container.toGenericDict().valueType();
}

/// A container's length as an expression; nothing if it has none.
std::optional<Dim> container_length(const c10::IValue& container, const Mark& mark) {
  if (mark) return exact_size(mark);
  return Dim(count_of(container));
}

}  // namespace

bool ContainerOperations::may_move_elements(const std::string& name) {
  constexpr std::array<std::string_view, 25> kNames = {
      "aten::append",     "aten::insert",  "aten::pop",    "aten::extend", "aten::add",
      "aten::add_",       "aten::slice",   "aten::copy",   "aten::clear",  "aten::Delete",
      "aten::reverse",    "aten::list",    "aten::mul",    "aten::mul_",   "aten::__getitem__",
      "aten::_set_item",  "aten::keys",    "aten::values", "aten::items",  "aten::get",
      "aten::setdefault", "aten::popitem", "aten::update", "aten::select", "aten::dict"};
  return is_one_of(name, kNames);
}

bool ContainerOperations::moves_elements(const Stack& inputs) {
  const auto is_number_times_list = [&] { return inputs.size() == 2 && inputs[1].isList(); };
  return !inputs.empty() &&
         (is_container(inputs[0]) || (is_number(inputs[0]) && is_number_times_list()));
}

/// Adds guards for the key of a dictionary access. A key that depends on sizes must differ from all
/// other keys.
void ContainerOperations::guard_key(const c10::IValue& dictionary, const c10::IValue& key,
                                    const std::string& name) {
  const Mark mark = marks_.of(key);
  if (!mark) return;
  if (is_data(mark))
    throw Error("data-dependent-value",
                cat("the key of a dictionary (", name, ") is read from a tensor's values"),
                cat("it comes from ", origin_of(mark),
                    "; the exported model would fix the key of this run"),
                "choose with torch.where, or index a stacked tensor with a tensor");
  const c10::IValue plain = unmarked(key);
  if (comparison_of(mark)) return decisions_.add_guard(mark, plain.toBool());
  const bool reads =
      name == "aten::__getitem__" || name == "aten::get" || name == "aten::__contains__";
  if (!reads || !is_size(mark) || !plain.isInt()) return (void)decisions_.note_number(mark, plain);
  const auto is_known = [&](const ir::Relation relation, int64_t other) {
    decisions_.add_guard({*exact_size(mark), relation, Dim(other)});
  };
  const c10::impl::GenericDict dict = dictionary.toGenericDict();
  if (dict.contains(plain)) return is_known(ir::Relation::eq, plain.toInt());
  for (const auto& entry : dict) is_known(ir::Relation::ne, entry.key().toInt());
}

/// The mark of an operation's index or number, if the result depends on it.
Mark ContainerOperations::queried_index(const std::string& name, const c10::IValue& container,
                                        const c10::IValue& operand) {
  const Mark mark = marks_.of(operand);
  if (!mark) return nullptr;
  if (container.isGenericDict()) {
    guard_key(container, operand, name);
    return nullptr;
  }
  if (is_data(mark) || depends_on_iteration(mark)) return mark;
  if (name == "aten::__getitem__" || name == "aten::select" || name == "aten::mul" ||
      name == "aten::mul_")
    return mark;
  if (is_size(mark))
    decisions_.add_guard({*exact_size(mark), ir::Relation::eq, Dim(unmarked(operand).toInt())});
  else
    decisions_.note_number(mark, unmarked(operand));
  return nullptr;
}

/// A dictionary that is created from another one, or from a list of keys with their values.
Stack ContainerOperations::make_dictionary(const Operation& operation, const c10::IValue& source) {
  c10::IValue entries = source;
  if (source.isList()) {
    c10::impl::GenericList pairs = source.toList().copy();
    for (size_t i = 0; i < pairs.size(); ++i) {
      const c10::IValue pair = pairs.get(i);
      const auto& parts = pair.toTupleRef().elements();
      if (!marks_.of(parts[0])) continue;
      guard_key({}, parts[0], "aten::dict");
      pairs.set(i, tuple_like(pair, {unmarked(parts[0]), parts[1]}));
    }
    entries = pairs;
  }
  state_.touches_containers(operation.op->schema(), {source}, position_);
  Stack results = {entries};
  operations_.execute(operation, results);
  marks_.set(results[0], marks_.of(source));
  loops_.note_created(results[0]);
  return results;
}

Stack ContainerOperations::run(const Operation& operation, Stack inputs) {
  const c10::FunctionSchema& schema = operation.op->schema();
  const std::string& name = schema.name();
  if (name == "aten::dict") return make_dictionary(operation, inputs[0]);
  const c10::IValue container = container_of(inputs);
  Mark index;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (is_container(inputs[i]) || is_element(schema, i)) continue;
    const Mark mark = queried_index(name, container, inputs[i]);
    index = either(index, mark);
    inputs[i] = unmarked(inputs[i]);
  }
  lists_.guard_access(name, inputs, index);
  // The mark of a list that is created from another, or repeated, is computed before the operation.
  const bool creates_list = returns_list(name) || name == "aten::mul_";
  const Mark length = creates_list ? result_length(name, inputs, index) : marks_.of(container);
  const auto list_layout_of = [this](const c10::IValue& value) {
    return value.isList() ? marks_.list_layout(value) : ListLayout();
  };
  const ListLayout before = list_layout_of(container), added = list_layout_of(inputs.back());
  loops_.note_list(name, inputs);
  if (schema.is_mutable()) loops_.note_write(container);
  state_.touches_containers(schema, inputs, position_);
  Stack results = inputs;
  const ReadMarks read;
  operations_.execute(operation, results);
  if (schema.is_mutable())
    for (size_t i = 1; i < inputs.size(); ++i)
      nesting_.require_tree(*element_type(inputs[0]), inputs[i]);
  mark_results(name, inputs, either(index, read.seen()), length, results);
  const c10::IValue& changed = returns_list(name) ? results[0] : container;
  if ((schema.is_mutable() || returns_list(name)) && name != "aten::slice" &&
      lists_.has_symbolic_length(changed))
    marks_.set_list_layout(changed, lists_.changed_list_layout(name, inputs, index, before, added));
  if (schema.is_mutable()) loops_.follow_growth(container);
  if (returns_list(name)) loops_.note_created(results[0]);
  return results;
}

/// Marks an element that was selected by an index that depends on sizes, or from a list whose
/// length does.
void ContainerOperations::mark_element(const Stack& inputs, const Mark& index, const Mark& length,
                                       c10::IValue& element) {
  const Mark cause = either(index, length);
  if (is_data(cause)) {
    element = marks_.picked(element, cause, "an element of a list");
    return;
  }
  if (!cause) return;
  if (is_number(element) || element.isString()) {
    element = marks_.tainted(element, opaque_mark(sizes_of(cause)), "an element of a list");
    return;
  }
  if (!index || depends_on_iteration(index)) return;
  if (!is_size(index)) return (void)decisions_.note_number(index, inputs[1]);
  const auto list_length = container_length(inputs[0], length);
  if (list_length && (*exact_size(index) - *list_length).is_constant())
    return;  // counted from the end
  decisions_.add_guard({*exact_size(index), ir::Relation::eq, Dim(inputs[1].toInt())});
}

/// The length of `list * n`; a negative n is 0.
Mark ContainerOperations::repeated_length(const Stack& inputs, const Mark& index) {
  const c10::IValue& container = container_of(inputs);
  const Mark length = marks_.of(container);
  const int64_t times = inputs[inputs[0].isInt() ? 0 : 1].toInt();
  if (is_size(index)) {
    decisions_.add_guard({*exact_size(index), ir::Relation::ge, Dim(0)}, times >= 0);
    if (times < 0) return nullptr;
  }
  const auto list_length = container_length(container, length);
  if (list_length && is_size(index)) return size_mark(*list_length * *exact_size(index));
  if (list_length && !index) return size_mark(*list_length * Dim(std::max<int64_t>(times, 0)));
  return either(index, length);
}

/// The mark for the length of a list that was created from another.
Mark ContainerOperations::result_length(const std::string& name, const Stack& inputs,
                                        const Mark& index) {
  if (name == "aten::mul" || name == "aten::mul_") return repeated_length(inputs, index);
  const Mark length = marks_.of(container_of(inputs));
  const auto list_length = container_length(container_of(inputs), length);
  if (name == "aten::copy" || name == "aten::list") return length;
  if (name == "aten::slice") return either(index, length);
  const Mark added = marks_.of(inputs[1]);
  if (!length && !added) return nullptr;
  const auto added_length = container_length(inputs[1], added);
  return list_length && added_length ? size_mark(*list_length + *added_length)
                                     : join(length, added);
}

/// The mark of a list or dictionary after a change in place.
void ContainerOperations::mark_changed(const std::string& name, const Stack& inputs,
                                       const Mark& index, const Mark& length) {
  const c10::IValue& container = inputs[0];
  if (is_data(index)) {
    marks_.tainted(container, index, "a change of a list");
    return;
  }
  if (depends_on_iteration(index)) marks_.taint_numbers(container, index);
  if (name == "aten::clear") return marks_.set(container, nullptr);
  if (name == "aten::mul_") return marks_.set(container, length);
  if (name == "aten::update" || !length) return;
  const bool grows = name == "aten::append" || name == "aten::insert";
  const bool shrinks = name == "aten::pop" || name == "aten::Delete" || name == "aten::remove";
  if (!(grows || shrinks) || !container.isList()) return;
  if (is_size(length)) marks_.set(container, size_mark(*exact_size(length) + Dim(grows ? 1 : -1)));
}

void ContainerOperations::mark_results(const std::string& name, const Stack& inputs,
                                       const Mark& index, const Mark& length, Stack& results) {
  const bool joins = name == "aten::extend" || name == "aten::add_" || name == "aten::update";
  if (joins) {
    const Mark added = marks_.of(inputs[1]);
    if (inputs[0].isList() && (length || added)) {
      const auto added_length = container_length(inputs[1], added);
      const int64_t before = count_of(inputs[0]) - count_of(inputs[1]);
      const bool is_exact = (!length || is_size(length)) && added_length;
      marks_.set(inputs[0], is_exact ? size_mark(size_or(length, before) + *added_length)
                                     : join(length, added));
    } else if (added) {
      marks_.set(inputs[0], either(length, added));
    }
    return;
  }
  if (returns_elements(name)) {
    if (!results.empty()) mark_element(inputs, index, length, results[0]);
    if (name == "aten::keys" || name == "aten::values" || name == "aten::items")
      return marks_.set(results[0], either(length, marks_.of(results[0])));
    if (name == "aten::pop" || name == "aten::popitem" || name == "aten::setdefault")
      mark_changed(name, inputs, index, length);
    return;
  }
  if (returns_list(name)) {
    if (name == "aten::slice" && !index && lists_.has_symbolic_length(inputs[0]))
      return lists_.mark_slice(inputs, results[0]);
    if (is_data(index) && name == "aten::slice")
      results[0] = marks_.tainted(results[0], index, "a slice of a list");
    return marks_.set(results[0], length);
  }
  mark_changed(name, inputs, index, length);
}

}  // namespace t2n::trace
