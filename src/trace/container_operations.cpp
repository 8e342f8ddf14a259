// Operations of lists and dictionaries that move elements without looking at them. Torch runs them
// on marked numbers unchanged; this file follows the marks of positions, keys and lengths.
#include "src/trace/container_operations.h"

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
bool gives_elements(const std::string& name) {
  constexpr std::array<std::string_view, 9> kNames = {
      "aten::__getitem__", "aten::pop",    "aten::popitem", "aten::get",  "aten::select",
      "aten::setdefault",  "aten::values", "aten::keys",    "aten::items"};
  return is_one_of(name, kNames);
}

/// True for operations that give a new list, in place of the container or beside it.
bool gives_list(const std::string& name) {
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

int64_t count(const c10::IValue& container) {
  return static_cast<int64_t>(container.isList() ? container.toListRef().size()
                                                 : container.toGenericDict().size());
}

/// A container's length as an expression; nothing if it has none.
std::optional<Dim> container_length(const c10::IValue& container, const Mark& mark) {
  if (mark) return is_size(mark) ? std::optional(mark->size) : std::nullopt;
  return Dim(count(container));
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

/// The key of a dictionary access. A key that follows from sizes must differ from all other keys.
void ContainerOperations::settle_key(const c10::IValue& dictionary, const c10::IValue& key,
                                     const std::string& name) {
  const Mark mark = marks_.of(key);
  if (!mark) return;
  if (is_data(mark))
    throw Error("data-dependent-value",
                cat("the key of a dictionary (", name, ") is read from a tensor's values"),
                cat("it comes from ", mark->origin, "; a file would hold the key of this one run"),
                "choose with torch.where, or index a stacked tensor with a tensor");
  const c10::IValue plain = unmarked(key);
  if (mark->comparison) return decisions_.settle(mark, plain.toBool());
  const bool reads =
      name == "aten::__getitem__" || name == "aten::get" || name == "aten::__contains__";
  if (!reads || !is_size(mark) || !plain.isInt())
    return (void)decisions_.note_number(position_.node, mark, plain);
  const auto is_known = [&](const ir::Relation relation, int64_t other) {
    if (const Mark same = comparison_mark({mark->size, relation, Dim(other)}))
      decisions_.settle(same, true);
  };
  const c10::impl::GenericDict dict = dictionary.toGenericDict();
  if (dict.contains(plain)) return is_known(ir::Relation::eq, plain.toInt());
  for (const auto& entry : dict) is_known(ir::Relation::ne, entry.key().toInt());
}

/// The mark of the position or number that an operation is given, if it matters to the result.
Mark ContainerOperations::queried_index(const std::string& name, const c10::IValue& container,
                                        const c10::IValue& operand) {
  const Mark mark = marks_.of(operand);
  if (!mark) return nullptr;
  if (container.isGenericDict()) {
    settle_key(container, operand, name);
    return nullptr;
  }
  if (is_data(mark) || depends_on_iteration(mark)) return mark;
  if (name == "aten::__getitem__" || name == "aten::select" || name == "aten::mul" ||
      name == "aten::mul_")
    return mark;
  if (is_size(mark))
    decisions_.settle(
        comparison_mark({mark->size, ir::Relation::eq, Dim(unmarked(operand).toInt())}), true);
  else
    decisions_.note_number(position_.node, mark, unmarked(operand));
  return nullptr;
}

/// A dictionary that is made of another one, or of a list of keys with their values.
Stack ContainerOperations::make_dictionary(const Operation& operation, const c10::IValue& from) {
  c10::IValue entries = from;
  if (from.isList()) {
    c10::impl::GenericList pairs = from.toList().copy();
    for (size_t i = 0; i < pairs.size(); ++i) {
      const c10::IValue pair = pairs.get(i);
      const auto& parts = pair.toTupleRef().elements();
      if (!marks_.of(parts[0])) continue;
      settle_key({}, parts[0], "aten::dict");
      pairs.set(i, tuple_like(pair, {unmarked(parts[0]), parts[1]}));
    }
    entries = pairs;
  }
  state_.touches_containers(operation.op->schema(), {from}, [this] { return position_.place(); });
  Stack results = {entries};
  operations_.execute(operation, results);
  marks_.set(results[0], marks_.of(from));
  loops_.note_made(results[0]);
  return results;
}

Stack ContainerOperations::run(const Operation& operation, Stack inputs) {
  const c10::FunctionSchema& schema = operation.op->schema();
  const std::string& name = schema.name();
  if (name == "aten::dict") return make_dictionary(operation, inputs[0]);
  const c10::IValue container = container_of(inputs);
  Mark asked;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (is_container(inputs[i]) || is_element(schema, i)) continue;
    const Mark mark = queried_index(name, container, inputs[i]);
    asked = either(asked, mark);
    inputs[i] = unmarked(inputs[i]);
  }
  lists_.settle_access(name, inputs, asked);
  // For a list that is made from another, or repeated, the mark is computed from the list before.
  const bool makes = gives_list(name) || name == "aten::mul_";
  const Mark length = makes ? made_length(name, inputs, asked) : marks_.of(container);
  const auto list_layout_of = [this](const c10::IValue& value) {
    return value.isList() ? marks_.list_layout(value) : ListLayout();
  };
  const ListLayout before = list_layout_of(container), more = list_layout_of(inputs.back());
  loops_.note_list(name, inputs);
  if (schema.is_mutable()) loops_.note_write(container);
  state_.touches_containers(schema, inputs, [this] { return position_.place(); });
  Stack results = inputs;
  const ReadMarks read;
  operations_.execute(operation, results);
  if (schema.is_mutable())
    for (size_t i = 1; i < inputs.size(); ++i)
      nesting_.require_tree(*element_type(inputs[0]), inputs[i]);
  follow_move(name, inputs, either(asked, read.seen()), length, results);
  const c10::IValue& changed = gives_list(name) ? results[0] : container;
  if ((schema.is_mutable() || gives_list(name)) && name != "aten::slice" && lists_.is_open(changed))
    marks_.set_list_layout(changed, lists_.changed_list_layout(name, inputs, asked, before, more));
  if (schema.is_mutable()) loops_.follow_growth(container);
  if (gives_list(name)) loops_.note_made(results[0]);
  return results;
}

/// Marks an element that was selected by a number that follows from sizes, or from a list whose
/// length does.
void ContainerOperations::follow_element(const Stack& inputs, const Mark& asked, const Mark& length,
                                         c10::IValue& element) {
  const Mark why = either(asked, length);
  if (is_data(why)) {
    element = marks_.picked(element, why, "an element of a list");
    return;
  }
  if (!why) return;
  if (is_number(element) || element.isString()) {
    element = marks_.tainted(element, opaque_mark(why->size), "an element of a list");
    return;
  }
  if (!asked || depends_on_iteration(asked)) return;
  if (!is_size(asked)) return (void)decisions_.note_number(position_.node, asked, inputs[1]);
  const auto whole = container_length(inputs[0], length);
  if (whole && (asked->size - *whole).is_constant()) return;  // counted from the end
  decisions_.settle(comparison_mark({asked->size, ir::Relation::eq, Dim(inputs[1].toInt())}), true);
}

/// The length of `list * n`; a negative n counts as 0.
Mark ContainerOperations::repeated_length(const Stack& inputs, const Mark& asked) {
  const c10::IValue& container = container_of(inputs);
  const Mark length = marks_.of(container);
  const int64_t times = inputs[inputs[0].isInt() ? 0 : 1].toInt();
  if (is_size(asked)) {
    decisions_.settle(comparison_mark({asked->size, ir::Relation::ge, Dim(0)}), times >= 0);
    if (times < 0) return nullptr;
  }
  const auto whole = container_length(container, length);
  if (whole && is_size(asked)) return size_mark(*whole * asked->size);
  if (whole && !asked) return size_mark(*whole * Dim(std::max<int64_t>(times, 0)));
  return either(asked, length);
}

/// The mark for the length of a list that was made from another.
Mark ContainerOperations::made_length(const std::string& name, const Stack& inputs,
                                      const Mark& asked) {
  if (name == "aten::mul" || name == "aten::mul_") return repeated_length(inputs, asked);
  const Mark length = marks_.of(container_of(inputs));
  const auto whole = container_length(container_of(inputs), length);
  if (name == "aten::copy" || name == "aten::list") return length;
  if (name == "aten::slice") return either(asked, length);
  const Mark more = marks_.of(inputs[1]);
  if (!length && !more) return nullptr;
  const auto rest = container_length(inputs[1], more);
  return whole && rest ? size_mark(*whole + *rest) : join(length, more);
}

/// The mark of a list or dictionary after a change in place.
void ContainerOperations::follow_change(const std::string& name, const Stack& inputs,
                                        const Mark& asked, const Mark& length) {
  const c10::IValue& container = inputs[0];
  if (is_data(asked)) {
    marks_.tainted(container, asked, "a change of a list");
    return;
  }
  if (depends_on_iteration(asked)) marks_.taint_numbers(container, asked);
  if (name == "aten::clear") return marks_.set(container, nullptr);
  if (name == "aten::mul_") return marks_.set(container, length);
  if (name == "aten::update" || !length) return;
  const bool grows = name == "aten::append" || name == "aten::insert";
  const bool shrinks = name == "aten::pop" || name == "aten::Delete";
  // In a loop, the length is computed at the loop's end, from the iteration count.
  if (!(grows || shrinks) || !container.isList() || loops_.depth() > 0) return;
  if (is_size(length)) marks_.set(container, size_mark(length->size + Dim(grows ? 1 : -1)));
}

void ContainerOperations::follow_move(const std::string& name, const Stack& inputs,
                                      const Mark& asked, const Mark& length, Stack& results) {
  const bool joins = name == "aten::extend" || name == "aten::add_" || name == "aten::update";
  if (joins) {
    const Mark more = marks_.of(inputs[1]);
    if (inputs[0].isList() && (length || more)) {
      const auto whole = container_length(inputs[1], more);
      const int64_t before = count(inputs[0]) - count(inputs[1]);
      const Dim first = is_size(length) ? length->size : Dim(before);
      const bool is_exact = (!length || is_size(length)) && whole;
      marks_.set(inputs[0], is_exact ? size_mark(first + *whole) : join(length, more));
    } else if (more) {
      marks_.set(inputs[0], either(length, more));
    }
    return;
  }
  if (gives_elements(name)) {
    if (!results.empty()) follow_element(inputs, asked, length, results[0]);
    if (name == "aten::keys" || name == "aten::values" || name == "aten::items")
      return marks_.set(results[0], either(length, marks_.of(results[0])));
    if (name == "aten::pop" || name == "aten::popitem" || name == "aten::setdefault")
      follow_change(name, inputs, asked, length);
    return;
  }
  if (gives_list(name)) {
    if (name == "aten::slice" && !asked && lists_.is_open(inputs[0]))
      return lists_.follow_slice(inputs, results[0]);
    if (is_data(asked) && name == "aten::slice")
      results[0] = marks_.tainted(results[0], asked, "a slice of a list");
    return marks_.set(results[0], length);
  }
  follow_change(name, inputs, asked, length);
}

}  // namespace t2n::trace
