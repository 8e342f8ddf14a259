// Elements of lists whose length follows from sizes: at other sizes, another element may stand at a
// position. A list consists of stretches. The condition on sizes that keeps a position in its
// stretch is settled, as a branch is.
#include <algorithm>

#include "src/diag/error.h"
#include "src/diag/one_of.h"
#include "src/loops/iteration.h"
#include "src/trace/lists.h"

namespace t2n::trace {
namespace {

using ir::Dim;
using ir::Relation;
using torch::jit::Stack;

int64_t length_of_list(const c10::IValue& list) {
  return static_cast<int64_t>(list.toListRef().size());
}

/// True if the elements carry marks themselves, as numbers and strings do.
bool holds_marks(const c10::IValue& list) {
  const c10::TypePtr type = list.toList().elementType();
  return type->isSubtypeOf(*c10::NumberType::get()) || type->kind() == c10::TypeKind::BoolType ||
         type->kind() == c10::TypeKind::StringType;
}

Outline concatenated(Outline first, const Outline& second) {
  if (first.empty() || second.empty()) return {};
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

bool is_fixed(const Outline& outline) {
  return !outline.empty() &&
         std::all_of(outline.begin(), outline.end(),
                     [](const Stretch& stretch) { return stretch.length.is_constant(); });
}

}  // namespace

Dim length_of(const Outline& outline) {
  Dim sum;
  for (const Stretch& stretch : outline) sum = sum + stretch.length;
  return sum;
}

/// Whether the list's length is an expression over sizes only, without the iteration of a loop that
/// is being recorded, whose iterations are compared with each other.
bool Lists::is_open(const c10::IValue& list) const {
  if (!options_.keep_sizes || !list.isList()) return false;
  const Mark length = marks_.of(list);
  return length && !is_data(length) && !depends_on_iteration(length);
}

/// Requires that the list has its present length for all sizes that the file takes.
void Lists::settle_length(const c10::IValue& list) {
  const Mark length = marks_.of(list);
  if (is_size(length))
    decisions_.settle(comparison_mark({length->size, Relation::eq, Dim(length_of_list(list))}),
                      true);
  else
    decisions_.note_number(position_.node, length, c10::IValue(length_of_list(list)));
  marks_.set(list, nullptr);
}

/// Starts a new stretch before the element at `place`, which is counted from the front or from the
/// back. Returns the stretch; nothing if the position depends on another stretch's length.
std::optional<size_t> Lists::cut(Outline& outline, int64_t place, bool from_front) {
  int64_t rest = place;
  if (!from_front) {
    std::reverse(outline.begin(), outline.end());
    for (const Stretch& stretch : outline) rest = rest - stretch.count;
    rest = -rest;
  }
  size_t at = 0;
  while (at < outline.size() && rest > 0) {
    Stretch& stretch = outline[at];
    if (rest > stretch.count && !stretch.length.is_constant()) break;
    if (!stretch.length.is_constant() || rest < stretch.count) {
      decisions_.settle(comparison_mark({stretch.length, Relation::ge, Dim(rest)}), true);
      const Stretch more{stretch.length - Dim(rest), stretch.count - rest};
      stretch = {Dim(rest), rest};
      outline.insert(outline.begin() + static_cast<int64_t>(at) + 1, more);
      rest = 0;
    } else {
      rest -= stretch.count;
    }
    ++at;
  }
  if (!from_front) {
    std::reverse(outline.begin(), outline.end());
    at = outline.size() - at;
  }
  return rest == 0 ? std::optional(at) : std::nullopt;
}

/// An element is read, written, removed, or inserted at a position.
void Lists::settle_access(const std::string& name, const Stack& inputs, const Mark& asked) {
  constexpr std::array<std::string_view, 6> kNames = {"aten::__getitem__", "aten::select",
                                                      "aten::pop",         "aten::Delete",
                                                      "aten::_set_item",   "aten::insert"};
  const c10::IValue& list = inputs[0];
  if (!list.isList() || holds_marks(list)) return;
  if (name == "aten::slice" && depends_on_iteration(asked))
    loops::refuse_loop("a part of a list is taken that follows from the iteration",
                       "walk the list element by element, or stack it and index the tensor");
  if (!is_one_of(name, kNames)) return;
  if (follows_iteration(list, asked)) return settle_iteration_access(name, inputs, asked);
  if (!is_open(list)) return;
  Outline outline = marks_.outline(list);
  int64_t place = unmarked(inputs[1]).toInt();
  bool from_front = place >= 0;
  if (is_size(asked) && is_size(marks_.of(list)))
    if (const Dim behind = marks_.of(list)->size - asked->size; behind.is_constant()) {
      place = -behind.value();
      from_front = false;
    }
  const int64_t length = length_of_list(list), from = from_front ? place : place + length;
  const bool is_between = name == "aten::insert", is_inside = from >= 0 && from < length;
  if (!is_inside && !is_between) return;  // torch refuses it
  if (!is_inside || outline.empty() ||
      !cut(outline, from_front && !is_between ? from + 1 : from, from_front))
    settle_length(list);
}

/// An operation gets all elements as they are: there must be as many as now, except for the
/// elements that one loop made, which become one tensor.
void Lists::settle_argument(const c10::IValue& list) {
  if (!is_open(list)) return;
  const Outline outline = marks_.outline(list);
  if (outline.empty() || !is_size(marks_.of(list))) return settle_length(list);
  const auto elements = list.toListRef();
  auto element = elements.begin();
  for (const Stretch& stretch : outline) {
    const auto end = element + stretch.count;
    const bool is_counted = std::any_of(element, end, [this](const c10::IValue& each) {
      return each.isTensor() && loops_.origins().is_of_iteration(each.toTensor());
    });
    if (!is_counted)
      decisions_.settle(comparison_mark({stretch.length, Relation::eq, Dim(stretch.count)}), true);
    element = end;
  }
}

/// l[start:end]: both positions must stay in their stretches.
void Lists::follow_slice(const Stack& inputs, const c10::IValue& part) {
  const c10::IValue& list = inputs[0];
  Outline outline = marks_.outline(list);
  const int64_t length = length_of_list(list), step = inputs[3].toInt();
  const Mark mark = marks_.of(list);
  if (inputs[1].isNone() && inputs[2].isNone() && step == -1) {
    std::reverse(outline.begin(), outline.end());
    marks_.set(part, mark);
    return marks_.set_outline(part, std::move(outline));
  }
  const int64_t start = inputs[1].isNone() ? 0 : inputs[1].toInt();
  const int64_t end = inputs[2].isNone() ? 0 : inputs[2].toInt();
  const bool has_end = !inputs[2].isNone() && end != INT64_MAX;
  const int64_t first = start < 0 ? start + length : start;
  const int64_t last = !has_end ? length : end < 0 ? end + length : end;
  const bool is_inside = step == 1 && first >= 0 && last <= length && first < last;
  if (!is_inside || outline.empty() || !is_size(mark)) return settle_length(list);
  auto stop = has_end ? cut(outline, last, end >= 0) : outline.size();
  const size_t stretches = outline.size();
  const auto begin = stop ? cut(outline, first, start >= 0) : std::nullopt;
  if (!begin || *begin > *stop + outline.size() - stretches) return settle_length(list);
  stop = *stop + outline.size() - stretches;
  const Outline kept(outline.begin() + static_cast<int64_t>(*begin),
                     outline.begin() + static_cast<int64_t>(*stop));
  const Dim whole = length_of(kept);
  decisions_.settle(comparison_mark({whole, Relation::ge, Dim(0)}), true);
  marks_.set(part, size_mark(whole));
  marks_.set_outline(part, kept);
}

/// The outline of a list that was changed, or of a list made from it. `before` and `more`: the
/// outlines of the operands.
Outline Lists::changed_outline(const std::string& name, const Stack& inputs, const Mark& asked,
                               Outline before, Outline more) {
  if (name == "aten::_set_item" && depends_on_iteration(asked)) {
    return written_in_iterations(asked, inputs[0], unmarked(inputs[1]).toInt() < 0,
                                 std::move(before));
  }
  if (before.empty()) return {};
  if (name == "aten::copy" || name == "aten::list") return before;
  if (name == "aten::append") return concatenated(std::move(before), {{Dim(1), 1}});
  if (name == "aten::add" || name == "aten::add_" || name == "aten::extend")
    return concatenated(std::move(before), more);
  if (name == "aten::reverse") {
    std::reverse(before.begin(), before.end());
    return before;
  }
  if (name == "aten::mul" || name == "aten::mul_") {
    const bool is_one = is_fixed(before) && is_size(asked);
    const int64_t times = unmarked(inputs[inputs[0].isList() ? 1 : 0]).toInt();
    const int64_t length = length_of(before).is_constant() ? length_of(before).value() : 0;
    return is_one ? Outline{{Dim(length) * asked->size, length * std::max<int64_t>(times, 0)}}
                  : Outline{};
  }
  constexpr std::array<std::string_view, 4> kChanges = {"aten::pop", "aten::Delete",
                                                        "aten::_set_item", "aten::insert"};
  if (!is_one_of(name, kChanges)) return {};
  const int64_t place = unmarked(inputs[1]).toInt();
  int64_t length = 0;
  for (const Stretch& stretch : before) length += stretch.count;
  const bool is_insert = name == "aten::insert";
  const int64_t from = std::clamp<int64_t>(place < 0 ? place + length : place, 0, length);
  if (!is_insert && from >= length) return {};
  if (!is_insert && !cut(before, from + 1, place >= 0)) return {};
  const auto at = cut(before, from, place >= 0);
  if (!at) return {};
  const auto spot = before.begin() + static_cast<int64_t>(*at);
  if (is_insert)
    before.insert(spot, {Dim(1), 1});
  else if (name != "aten::_set_item")
    before.erase(spot);
  return before;
}

}  // namespace t2n::trace
