// Lists that loops make longer or shorter: their length after the loop.
#include <algorithm>

#include "src/trace/open_loops.h"

namespace t2n::trace {
namespace {

using ir::Dim;

bool are_one(const c10::IValue& a, const c10::IValue& b) { return a.is(b); }

bool begins_with(const c10::IValue& list, const c10::IValue& part) {
  const auto whole = list.toListRef(), first = part.toListRef();
  return first.size() <= whole.size() &&
         std::equal(first.begin(), first.end(), whole.begin(), are_one);
}

bool ends_with(const c10::IValue& list, const c10::IValue& part) {
  const auto whole = list.toListRef(), last = part.toListRef();
  return last.size() <= whole.size() &&
         std::equal(last.begin(), last.end(), whole.end() - last.size(), are_one);
}

}  // namespace

void OpenLoops::note_list(const std::string& name, const torch::jit::Stack& inputs) {
  const bool changes = name == "aten::append" || name == "aten::extend" || name == "aten::insert" ||
                       name == "aten::add_" || name == "aten::pop" || name == "aten::Delete" ||
                       name == "aten::clear" || name == "aten::mul_" || name == "aten::remove";
  if (!changes || !inputs[0].isList()) return;
  const bool leads = name == "aten::insert" && unmarked(inputs[1]).toInt() == 0;
  const bool grows = name == "aten::append" || name == "aten::extend" || name == "aten::add_";
  for (ChangedLists& lists : changed_lists_) {
    const ChangedList now{inputs[0], inputs[0].toListRef().size(), marks_.of(inputs[0]),
                          marks_.list_layout(inputs[0])};
    ChangedList& each = lists.try_emplace(inputs[0].internalToPointer(), now).first->second;
    each.only_grows = each.only_grows && grows;
    each.only_leads = each.only_leads && leads;
  }
}

/// A list that every iteration made longer or shorter: its length follows from the iteration count.
void OpenLoops::follow_list(const c10::IValue& list, size_t before, const Mark& known,
                            int64_t iterations, const Dim& length) {
  const auto more = static_cast<int64_t>(list.toListRef().size()) - static_cast<int64_t>(before);
  if (iterations == 0) return;
  const Dim start = is_size(known) ? known->size : Dim(static_cast<int64_t>(before));
  if (more % iterations == 0 && (!known || is_size(known)))
    marks_.set(list, size_mark(start + Dim(more / iterations) * length));
  else if (!is_data(known))
    marks_.set(list, join(known, opaque_mark(length)));
}

/// A list to which every iteration appended, or which it extended at its front: the new elements
/// form one stretch.
void OpenLoops::follow_grown(const c10::IValue& list, ListLayout before, bool at_end) {
  const Mark length = marks_.of(list);
  if (!is_size(length) || before.empty()) return;
  ListSegment grown{length->size, static_cast<int64_t>(list.toListRef().size())};
  for (const ListSegment& each : before)
    grown = {grown.length - each.length, grown.count - each.count};
  before.insert(at_end ? before.end() : before.begin(), grown);
  marks_.set_list_layout(list, std::move(before));
}

/// The lengths follow from sizes; this is all that is known of a loop that ends by a condition.
void OpenLoops::follow_lists(const ChangedLists& lists, int64_t iterations, const Mark& trips) {
  if (!is_size(trips)) return;
  for (const auto& [key, each] : lists) {
    follow_list(each.list, each.before, marks_.of(each.list), iterations, trips->size);
    if (each.only_grows || each.only_leads)
      follow_grown(each.list, each.list_layout, each.only_grows);
  }
}

/// Marks the carried numbers and lists after the loop.
void OpenLoops::follow_carried(RolledLoop& loop, const ChangedLists& lists, const Dim& length) {
  for (const auto& [key, each] : lists) {
    follow_list(each.list, each.before, each.known, loop.iterations, length);
    if (each.only_grows || each.only_leads)
      follow_grown(each.list, each.list_layout, each.only_grows);
  }
  for (size_t i = 0; i < loop.carried.size(); ++i) {
    const c10::IValue& initial = loop.initial[i];
    c10::IValue& last = loop.carried[i];
    if (loop.steps[i])
      last = marked(last, size_mark(expression(initial) + Dim(*loop.steps[i]) * length));
    if (!initial.isList() || last.is(initial)) continue;
    follow_list(last, initial.toListRef().size(), marks_.of(initial), loop.iterations, length);
    if (begins_with(last, initial))
      follow_grown(last, marks_.list_layout(initial), true);
    else if (ends_with(last, initial))
      follow_grown(last, marks_.list_layout(initial), false);
  }
}

}  // namespace t2n::trace
