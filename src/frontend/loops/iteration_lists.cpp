// List elements at indices that depend on the iteration of a rerolled loop. The iterations of the
// sample are compared with each other; this file checks that the elements of further iterations are
// computed in the same way.
#include <algorithm>
#include <array>

#include "src/diag/one_of.h"
#include "src/frontend/loops/lists.h"
#include "src/loops/iteration.h"

namespace t2n::trace {
namespace {

using ir::Dim;
using ir::Relation;
using torch::jit::Stack;

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
  const auto count = static_cast<int64_t>(list.toListRef().size());
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
