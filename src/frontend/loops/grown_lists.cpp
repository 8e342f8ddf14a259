// The length, after a loop, of lists that the loop changes.
#include <algorithm>

#include "src/frontend/loops/running_loops.h"

namespace t2n::trace {
namespace {

using ir::Dim;

bool are_identical_objects(const c10::IValue& a, const c10::IValue& b) { return a.is(b); }

bool begins_with(const c10::IValue& list, const c10::IValue& prefix) {
  const auto elements = list.toListRef(), first = prefix.toListRef();
  return first.size() <= elements.size() &&
         std::equal(first.begin(), first.end(), elements.begin(), are_identical_objects);
}

bool ends_with(const c10::IValue& list, const c10::IValue& suffix) {
  const auto elements = list.toListRef(), last = suffix.toListRef();
  return last.size() <= elements.size() &&
         std::equal(last.begin(), last.end(), elements.end() - last.size(), are_identical_objects);
}

}  // namespace

void RunningLoops::note_list(const std::string& name, const torch::jit::Stack& inputs) {
  const bool changes = name == "aten::append" || name == "aten::extend" || name == "aten::insert" ||
                       name == "aten::add_" || name == "aten::pop" || name == "aten::Delete" ||
                       name == "aten::clear" || name == "aten::mul_" || name == "aten::remove";
  if (!changes || !inputs[0].isList()) return;
  const bool prepends = name == "aten::insert" && unmarked(inputs[1]).toInt() == 0;
  const bool appends = name == "aten::append" || name == "aten::extend" || name == "aten::add_";
  for (ChangedLists& lists : changed_lists_) {
    const ChangedList current{inputs[0], inputs[0].toListRef().size(), marks_.of(inputs[0]),
                              marks_.list_layout(inputs[0])};
    ChangedList& each = lists.try_emplace(inputs[0].internalToPointer(), current).first->second;
    each.only_grows = each.only_grows && appends;
    each.only_leads = each.only_leads && prepends;
  }
}

/// A list that every iteration made longer or shorter: its length depends on the iteration count.
void RunningLoops::mark_list_length(const c10::IValue& list, size_t before, const Mark& mark,
                                    int64_t iterations, const Dim& length) {
  const auto growth = static_cast<int64_t>(list.toListRef().size()) - static_cast<int64_t>(before);
  if (iterations == 0) return;
  if (growth % iterations == 0 && (!mark || is_size(mark)))
    marks_.set(list, size_mark(size_or(mark, static_cast<int64_t>(before)) +
                               Dim(growth / iterations) * length));
  else if (!is_data(mark))
    marks_.set(list, join(mark, opaque_mark(length)));
}

/// A list to which every iteration appended or prepended: the new elements form one segment.
void RunningLoops::add_grown_segment(const c10::IValue& list, ListLayout before, bool at_end) {
  const auto length = exact_size(marks_.of(list));
  if (!length || before.empty()) return;
  ListSegment added{*length, static_cast<int64_t>(list.toListRef().size())};
  for (const ListSegment& each : before)
    added = {added.length - each.length, added.count - each.count};
  before.insert(at_end ? before.end() : before.begin(), added);
  marks_.set_list_layout(list, std::move(before));
}

/// The lengths depend on sizes; nothing more is known of a loop that ends by a condition.
void RunningLoops::mark_list_lengths(const ChangedLists& lists, int64_t iterations,
                                     const Mark& trips) {
  const auto length = exact_size(trips);
  if (!length) return;
  for (const auto& [key, each] : lists) {
    mark_list_length(each.list, each.before, marks_.of(each.list), iterations, *length);
    if (each.only_grows || each.only_leads)
      add_grown_segment(each.list, each.list_layout, each.only_grows);
  }
}

/// Marks the carried numbers and lists after the loop.
void RunningLoops::mark_carried(RerolledLoop& loop, const ChangedLists& lists, const Dim& length) {
  for (const auto& [key, each] : lists) {
    mark_list_length(each.list, each.before, each.known, loop.iterations, length);
    if (each.only_grows || each.only_leads)
      add_grown_segment(each.list, each.list_layout, each.only_grows);
  }
  for (size_t i = 0; i < loop.carried.size(); ++i) {
    const c10::IValue& initial = loop.initial[i];
    c10::IValue& last = loop.carried[i];
    if (loop.steps[i])
      last = marked(last, size_mark(expression(initial) + Dim(*loop.steps[i]) * length));
    if (!initial.isList() || last.is(initial)) continue;
    mark_list_length(last, initial.toListRef().size(), marks_.of(initial), loop.iterations, length);
    if (begins_with(last, initial))
      add_grown_segment(last, marks_.list_layout(initial), true);
    else if (ends_with(last, initial))
      add_grown_segment(last, marks_.list_layout(initial), false);
  }
}

}  // namespace t2n::trace
