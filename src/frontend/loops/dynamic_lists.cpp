// Elements of lists whose length depends on sizes: at other sizes, an index may select another
// element. A list consists of segments. The condition on sizes that keeps an index in its segment
// becomes a guard, as for a branch.
#include <algorithm>

#include "src/diag/error.h"
#include "src/diag/one_of.h"
#include "src/frontend/loops/lists.h"
#include "src/loops/iteration.h"

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

ListLayout concatenated(ListLayout first, const ListLayout& second) {
  if (first.empty() || second.empty()) return {};
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

bool is_fixed(const ListLayout& list_layout) {
  return !list_layout.empty() &&
         std::all_of(list_layout.begin(), list_layout.end(),
                     [](const ListSegment& segment) { return segment.length.is_constant(); });
}

}  // namespace

Dim length_of(const ListLayout& list_layout) {
  Dim sum;
  for (const ListSegment& segment : list_layout) sum = sum + segment.length;
  return sum;
}

/// Whether the list's length depends on sizes only. The iterations of a loop that is being recorded
/// are compared with each other instead.
bool Lists::has_symbolic_length(const c10::IValue& list) const {
  if (!options_.keep_sizes || !list.isList()) return false;
  const Mark length = marks_.of(list);
  return length && !is_data(length) && !depends_on_iteration(length);
}

/// Specialises the list to its length in this run.
void Lists::guard_length(const c10::IValue& list) {
  const Mark length = marks_.of(list);
  if (const auto size = exact_size(length))
    decisions_.add_guard({*size, Relation::eq, Dim(length_of_list(list))});
  else
    decisions_.note_number(position_.node, length, c10::IValue(length_of_list(list)));
  marks_.set(list, nullptr);
}

/// Starts a new segment before the element at `index`, which is counted from the front or from the
/// back. Returns the segment; nothing if the index depends on another segment's length.
std::optional<size_t> Lists::cut(ListLayout& list_layout, int64_t index, bool from_front) {
  int64_t rest = index;
  if (!from_front) {
    std::reverse(list_layout.begin(), list_layout.end());
    for (const ListSegment& segment : list_layout) rest = rest - segment.count;
    rest = -rest;
  }
  size_t at = 0;
  while (at < list_layout.size() && rest > 0) {
    ListSegment& segment = list_layout[at];
    if (rest > segment.count && !segment.length.is_constant()) break;
    if (!segment.length.is_constant() || rest < segment.count) {
      decisions_.add_guard({segment.length, Relation::ge, Dim(rest)});
      const ListSegment more{segment.length - Dim(rest), segment.count - rest};
      segment = {Dim(rest), rest};
      list_layout.insert(list_layout.begin() + static_cast<int64_t>(at) + 1, more);
      rest = 0;
    } else {
      rest -= segment.count;
    }
    ++at;
  }
  if (!from_front) {
    std::reverse(list_layout.begin(), list_layout.end());
    at = list_layout.size() - at;
  }
  return rest == 0 ? std::optional(at) : std::nullopt;
}

/// Adds the guards for reading, writing, removing or inserting an element at an index.
void Lists::guard_access(const std::string& name, const Stack& inputs, const Mark& index_mark) {
  constexpr std::array<std::string_view, 6> kNames = {"aten::__getitem__", "aten::select",
                                                      "aten::pop",         "aten::Delete",
                                                      "aten::_set_item",   "aten::insert"};
  const c10::IValue& list = inputs[0];
  if (!list.isList() || holds_marks(list)) return;
  if (name == "aten::slice" && depends_on_iteration(index_mark))
    loops::refuse_loop("a list is sliced by an index that depends on the iteration",
                       "iterate over the list, or stack it and index the tensor");
  if (!is_one_of(name, kNames)) return;
  if (depends_on_iteration_index(list, index_mark))
    return guard_iteration_access(name, inputs, index_mark);
  if (!has_symbolic_length(list)) return;
  ListLayout list_layout = marks_.list_layout(list);
  int64_t index = unmarked(inputs[1]).toInt();
  bool from_front = index >= 0;
  if (is_size(index_mark) && is_size(marks_.of(list)))
    if (const Dim from_end = *exact_size(marks_.of(list)) - *exact_size(index_mark);
        from_end.is_constant()) {
      index = -from_end.value();
      from_front = false;
    }
  const int64_t length = length_of_list(list), from = from_front ? index : index + length;
  const bool is_between = name == "aten::insert", is_inside = from >= 0 && from < length;
  if (!is_inside && !is_between) return;  // torch raises an error
  if (!is_inside || list_layout.empty() ||
      !cut(list_layout, from_front && !is_between ? from + 1 : from, from_front))
    guard_length(list);
}

/// For an operation that takes all elements: specialises the lengths of all segments, except for
/// elements that are results of one loop, which become one tensor.
void Lists::guard_argument(const c10::IValue& list) {
  if (!has_symbolic_length(list)) return;
  const ListLayout list_layout = marks_.list_layout(list);
  if (list_layout.empty() || !is_size(marks_.of(list))) return guard_length(list);
  const auto elements = list.toListRef();
  auto element = elements.begin();
  for (const ListSegment& segment : list_layout) {
    const auto end = element + segment.count;
    const bool is_loop_result = std::any_of(element, end, [this](const c10::IValue& each) {
      return each.isTensor() && loops_.origins().is_from_iteration(each.toTensor());
    });
    if (!is_loop_result) decisions_.add_guard({segment.length, Relation::eq, Dim(segment.count)});
    element = end;
  }
}

/// l[start:end]: both indices must stay in their segments.
void Lists::mark_slice(const Stack& inputs, const c10::IValue& part) {
  const c10::IValue& list = inputs[0];
  ListLayout list_layout = marks_.list_layout(list);
  const int64_t length = length_of_list(list), step = inputs[3].toInt();
  const Mark mark = marks_.of(list);
  if (inputs[1].isNone() && inputs[2].isNone() && step == -1) {
    std::reverse(list_layout.begin(), list_layout.end());
    marks_.set(part, mark);
    return marks_.set_list_layout(part, std::move(list_layout));
  }
  const int64_t start = inputs[1].isNone() ? 0 : inputs[1].toInt();
  const int64_t end = inputs[2].isNone() ? 0 : inputs[2].toInt();
  const bool has_end = !inputs[2].isNone() && end != INT64_MAX;
  const int64_t first = start < 0 ? start + length : start;
  const int64_t last = !has_end ? length : end < 0 ? end + length : end;
  const bool is_inside = step == 1 && first >= 0 && last <= length && first < last;
  if (!is_inside || list_layout.empty() || !is_size(mark)) return guard_length(list);
  auto stop = has_end ? cut(list_layout, last, end >= 0) : list_layout.size();
  const size_t segments = list_layout.size();
  const auto begin = stop ? cut(list_layout, first, start >= 0) : std::nullopt;
  if (!begin || *begin > *stop + list_layout.size() - segments) return guard_length(list);
  stop = *stop + list_layout.size() - segments;
  const ListLayout kept(list_layout.begin() + static_cast<int64_t>(*begin),
                        list_layout.begin() + static_cast<int64_t>(*stop));
  const Dim kept_length = length_of(kept);
  decisions_.add_guard({kept_length, Relation::ge, Dim(0)});
  marks_.set(part, size_mark(kept_length));
  marks_.set_list_layout(part, kept);
}

/// The layout of a list that was changed, or of a list made from it. `before` and `more`: the
/// layouts of the operands.
ListLayout Lists::changed_list_layout(const std::string& name, const Stack& inputs,
                                      const Mark& index_mark, ListLayout before, ListLayout more) {
  if (name == "aten::_set_item" && depends_on_iteration(index_mark)) {
    return written_in_iterations(index_mark, inputs[0], unmarked(inputs[1]).toInt() < 0,
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
    const bool is_one = is_fixed(before) && is_size(index_mark);
    const int64_t times = unmarked(inputs[inputs[0].isList() ? 1 : 0]).toInt();
    const int64_t length = length_of(before).is_constant() ? length_of(before).value() : 0;
    return is_one ? ListLayout{{Dim(length) * *exact_size(index_mark),
                                length * std::max<int64_t>(times, 0)}}
                  : ListLayout{};
  }
  constexpr std::array<std::string_view, 4> kChanges = {"aten::pop", "aten::Delete",
                                                        "aten::_set_item", "aten::insert"};
  if (!is_one_of(name, kChanges)) return {};
  const int64_t index = unmarked(inputs[1]).toInt();
  int64_t length = 0;
  for (const ListSegment& segment : before) length += segment.count;
  const bool is_insert = name == "aten::insert";
  const int64_t from = std::clamp<int64_t>(index < 0 ? index + length : index, 0, length);
  if (!is_insert && from >= length) return {};
  if (!is_insert && !cut(before, from + 1, index >= 0)) return {};
  const auto at = cut(before, from, index >= 0);
  if (!at) return {};
  const auto position = before.begin() + static_cast<int64_t>(*at);
  if (is_insert)
    before.insert(position, {Dim(1), 1});
  else if (name != "aten::_set_item")
    before.erase(position);
  return before;
}

}  // namespace t2n::trace
