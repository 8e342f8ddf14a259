// SPDX-License-Identifier: Apache-2.0
// Elements of lists whose length depends on sizes: at other sizes, an index may select another
// element. A list consists of segments. The condition on sizes that keeps an index in its segment
// becomes a guard, as for a branch. Where indices depend on the iteration of a rerolled loop, the
// elements of further iterations must be computed in the same way.
#include "src/frontend/loops/lists.h"

#include <algorithm>
#include <array>

#include "src/diag/error.h"
#include "src/diag/one_of.h"
#include "src/frontend/numbers/number_rules.h"
#include "src/loops/iteration.h"

namespace t2n::trace {
namespace {

using ir::Dim;
using ir::Relation;
using torch::jit::Stack;

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

[[noreturn]] void refuse_list(std::string why) {
  loops::refuse_loop(std::move(why),
                     "iterate over the list (`for a in l`), or stack it and index the tensor");
}

size_t segment_of(const ListLayout& list_layout, int64_t index) {
  size_t segment = 0;
  while (segment + 1 < list_layout.size() && index >= list_layout[segment].count)
    index -= list_layout[segment++].count;
  return segment;
}

}  // namespace

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
    decisions_.add_guard({*size, Relation::eq, Dim(count_of(list))});
  else
    decisions_.note_number(length, c10::IValue(count_of(list)));
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
  const int64_t length = count_of(list), from = from_front ? index : index + length;
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
  const int64_t length = count_of(list), step = inputs[3].toInt();
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

/// Whether the index of an access changes from iteration to iteration, counted from the front of
/// the list before the loop.
bool Lists::depends_on_iteration_index(const c10::IValue& list, const Mark& index) const {
  if (loops_.rerolling().empty()) return false;
  const Mark length = marks_.of(list);
  if (depends_on_iteration(index)) return true;
  if (!is_size(length) || !depends_on_iteration(length)) return false;
  const ir::Symbol& iteration = loops_.rerolling().back()->symbol;
  const auto step = loops::coefficient(*exact_size(length), iteration);
  return !step || *step < 0;  // its front moves
}

/// Whether elements of further iterations can be extrapolated: the elements are all the same value,
/// or results of one operation or loop, in its order.
bool Lists::are_regular(c10::ArrayRef<c10::IValue> elements) const {
  std::vector<std::pair<int64_t, at::Tensor>> placed;
  bool are_same = true, are_tensors = true;
  for (size_t i = 0; i < elements.size(); ++i) {
    const c10::IValue& element = elements[i];
    if (element.isTensor() && loops_.origins().is_from_running_loop(element.toTensor())) continue;
    are_same = are_same && element.is(elements.front());
    are_tensors = are_tensors && element.isTensor();
    if (element.isTensor()) placed.emplace_back(static_cast<int64_t>(i), element.toTensor());
  }
  return are_same || (are_tensors && loops_.origins().are_in_order(placed));
}

void Lists::guard_iteration_access(const std::string& name, const Stack& inputs,
                                   const Mark& index) {
  constexpr std::array<std::string_view, 2> kChanges = {"aten::insert", "aten::Delete"};
  const c10::IValue& list = inputs[0];
  const Mark length = marks_.of(list);
  const auto elements = list.toListRef();
  const auto count = static_cast<int64_t>(elements.size());
  const int64_t raw_index = unmarked(inputs[1]).toInt(),
                from = raw_index < 0 ? raw_index + count : raw_index;
  if (from < 0 || from >= count) return;  // torch refuses it
  if ((index && !is_size(index)) || (length && !is_size(length)))
    refuse_list("the index of a list element in an iteration has no expression");
  const Dim list_length = size_or(length, count);
  Dim position = size_or(index, raw_index);
  if (raw_index < 0) position = position + list_length;
  if ((position - list_length).is_constant()) return;  // the same position, counted from the end
  if (is_one_of(name, kChanges) || (name == "aten::pop" && depends_on_iteration(index)))
    refuse_list(
        "elements of a list are inserted or removed at an index that depends on the iteration");
  if (name == "aten::_set_item") {
    if (!length)
      refuse_list("a list of constant length is written at an index that depends on the iteration");
    return;  // changed_list_layout() follows it
  }
  if (elements[from].isTensor() && loops_.origins().is_from_running_loop(elements[from].toTensor()))
    return;  // made by an earlier iteration: the recorder follows it
  ListLayout list_layout{{list_length, count}};
  if (depends_on_iteration(length)) {
    const Dim before = loops::replaced(list_length, loops_.rerolling().back()->symbol, 0);
    position = position + before - list_length;
    list_layout = {{before, count}};
  } else if (const ListLayout existing = marks_.list_layout(list); !existing.empty()) {
    list_layout = existing;
  } else {
    guard_length(list);
    list_layout = {{Dim(count), count}};
  }
  const size_t segment = depends_on_iteration(length) ? 0 : segment_of(list_layout, from);
  size_t first = 0;
  for (size_t i = 0; i < segment; ++i) first += static_cast<size_t>(list_layout[i].count);
  const auto size = depends_on_iteration(length) ? elements.size()
                                                 : static_cast<size_t>(list_layout[segment].count);
  if (!are_regular(elements.slice(first, size)))
    refuse_list("an iteration reads elements of a list that were not computed in the same way");
  for (RerolledLoop* loop : loops_.rerolling()) {
    if (!position.mentions(loop->symbol)) continue;
    IterationAccess access{list_layout, position};
    const auto found = std::find(loop->accesses.begin(), loop->accesses.end(), access);
    if (found == loop->accesses.end()) loop->accesses.push_back(std::move(access));
  }
}

/// Guards that [low, high) stays in the segment that contains it in this run, for all iterations.
void Lists::guard_inside(const ListLayout& list_layout, const Dim& low, const Dim& high) {
  const auto current = [&](const Dim& dim) {
    const Dim out = dim.substitute(ir::sample_sizes(graph_));
    if (!out.is_constant())
      refuse_list("the part of a list that an iteration reads has no expression");
    return out.value();
  };
  Dim begin;
  for (const ListSegment& segment : list_layout) {
    const Dim end = begin + segment.length;
    if (current(begin) <= current(low) && current(high) <= current(end)) {
      decisions_.add_guard({begin, Relation::le, low});
      decisions_.add_guard({high, Relation::le, end});
      return;
    }
    begin = end;
  }
  refuse_list("the iterations read elements of several parts of a list");
}

/// Guards the first iteration, and separately all others, whose indices may be in another segment.
void Lists::guard_accesses(const RerolledLoop& loop, const Dim& length) {
  for (const IterationAccess& access : loop.accesses) {
    const auto step = loops::coefficient(access.index, loop.symbol);
    const Dim first = loops::replaced(access.index, loop.symbol, 0);
    if (!step || (loops::mentions_iteration(first) && access.list_layout.size() > 1))
      refuse_list("the index of a list element in an iteration has no expression");
    if (loops::mentions_iteration(first)) continue;  // the loop around it bounds its own iterations
    guard_inside(access.list_layout, first, first + Dim(1));
    const Dim second = first + *step, last = first + *step * (length - Dim(1));
    guard_inside(access.list_layout, *step > 0 ? second : last,
                 (*step > 0 ? last : second) + Dim(1));
  }
}

/// `list[iteration] = v` in a loop with a known number of iterations: the written elements form one
/// segment. Errors: `dynamic-loop` if the index does not change by one per iteration, or the number
/// of elements outside of the segment is not constant.
ListLayout Lists::written_in_iterations(const Mark& index, const c10::IValue& list,
                                        bool is_from_end, ListLayout list_layout) {
  if (loops_.rerolling().empty())
    loops::refuse_loop("after the loop, a list is written at an index that is an iteration number",
                       "use a size, or the length of a list from the loop");
  const RerolledLoop& loop = *loops_.rerolling().back();
  const auto refuse_index = [] {
    loops::refuse_loop("the index of a list write must increase or decrease by one per iteration",
                       "collect the elements with append, or fill a tensor");
  };
  if (!is_size(index)) refuse_index();
  const Dim position = *exact_size(index) + (is_from_end ? length_of(list_layout) : Dim(0));
  const auto step = loops::coefficient(position, loop.symbol);
  const Dim first = loops::replaced(position, loop.symbol, 0);
  const bool forwards = step == 1, is_consecutive = forwards || step == -1;
  if (list_layout.empty() || !is_consecutive || mark_of(loop.condition) ||
      loops::mentions_iteration(first))
    refuse_index();
  const Dim iterations = expression(loop.trips);
  Dim low = forwards ? first : first + Dim(1) - iterations;
  const Dim remaining = length_of(list_layout) - low - iterations;
  if (!low.is_constant() || !remaining.is_constant() || low.value() < 0 || remaining.value() < 0)
    refuse_index();
  const int64_t count = count_of(list);
  auto end = cut(list_layout, count - remaining.value(), false);
  const size_t segments = list_layout.size();
  const auto begin = end ? cut(list_layout, low.value(), true) : std::nullopt;
  if (!begin) refuse_index();
  *end += list_layout.size() - segments;
  const auto from = list_layout.begin() + static_cast<int64_t>(*begin);
  const auto insert_at = list_layout.erase(from, list_layout.begin() + static_cast<int64_t>(*end));
  list_layout.insert(insert_at, {iterations, unmarked(loop.trips).toInt()});
  return list_layout;
}

}  // namespace t2n::trace
