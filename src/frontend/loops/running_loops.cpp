// SPDX-License-Identifier: Apache-2.0
// A scan repeats one iteration, so every iteration must leave the same numbers in containers and
// objects that outlive it. The scan returns the tensors that an iteration computes. Where
// iterations only pass on existing tensors, the tensor must be the same from some iteration on.
#include "src/frontend/loops/running_loops.h"

#include <algorithm>
#include <set>

#include "src/diag/error.h"
#include "src/frontend/load/elements.h"
#include "src/frontend/numbers/number_rules.h"
#include "src/loops/iteration.h"

namespace t2n::trace {
namespace {

using ir::Dim;
using ir::Relation;

bool has_identity(const c10::IValue& value) { return is_container(value) || value.isObject(); }

/// Appends the contents of a value. The recorder tracks tensors, so only their presence counts. Of
/// a list that a loop extends, only the length counts: its elements are determined by it.
class ContentReader {
 public:
  explicit ContentReader(const ChangedLists& growing) : growing_(growing) {}

  Content read(const c10::IValue& value) {
    add(value);
    return std::move(out_);
  }

 private:
  void add(const c10::IValue& value) {
    if (has_identity(value) && !seen_.insert(value.internalToPointer()).second) return;
    if (!has_identity(value) && !value.isTuple()) {
      out_.push_back(value.isTensor() ? c10::IValue("a tensor") : unmarked(value));
      return;
    }
    if (is_container(value)) {
      const auto changed = growing_.find(value.internalToPointer());
      if (changed != growing_.end() && changed->second.before != count_of(value)) return;
      out_.emplace_back(count_of(value));
    }
    for_each_part(value, [this](const c10::IValue& each) { add(each); });
  }

  const ChangedLists& growing_;
  std::set<const void*> seen_;
  Content out_;
};

bool is_same_content(const c10::IValue& a, const c10::IValue& b) {
  if (a.isNone() || a.isScalar() || a.isString()) return are_identical(a, b);
  return a.isDevice() ? b.isDevice() && a.toDevice() == b.toDevice() : a.is(b);
}

bool is_unchanged(const Content& a, const Content& b) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [](const c10::IValue& x, const c10::IValue& y) {
           return is_same_content(x, y);
         });
}

[[noreturn]] void refuse_change(const c10::IValue& value) {
  loops::refuse_loop(cat("a number, string or length that it writes to ",
                         value.isObject() ? "an object" : "a list or dictionary",
                         " changes from iteration to iteration"),
                     "carry it in a variable: a tensor, or a number that grows by a constant");
}

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

/// Whether a carried value has the same contents after an iteration as before, except for tensors,
/// and for lists whose length changed, whose elements are determined by the length.
bool RunningLoops::keeps_content(const c10::IValue& before, const c10::IValue& after) const {
  if (before.isList() && after.isList() && before.toListRef().size() != after.toListRef().size())
    return true;
  const ChangedLists& growing = changed_lists_.back();
  return is_unchanged(ContentReader(growing).read(before), ContentReader(growing).read(after));
}

/// `l = l + [h]`: marks the list's length at the start of the next iteration.
void RunningLoops::follow_rebound(const RerolledLoop& loop, size_t index, const c10::IValue& list) {
  const c10::IValue& initial = loop.initial[index];
  if (!list.isList() || !initial.isList() || list.is(loop.carried[index])) return;
  const int64_t added = count_of(list) - count_of(loop.carried[index]);
  const Mark known = marks_.of(initial);
  if (added == 0 || is_data(marks_.of(list))) return;
  const Dim iteration = Dim::symbol(loop.symbol);
  const bool is_even = count_of(list) - count_of(initial) == added * (loop.iterations + 1);
  marks_.set(list, is_even && (!known || is_size(known))
                       ? size_mark(size_or(known, count_of(initial)) + Dim(added) * iteration)
                       : opaque_mark(iteration));
}

/// A container or object that an iteration creates belongs to it until it ends.
void RunningLoops::note_created(const c10::IValue& value) {
  if (rerolling_.empty() || !has_identity(value)) return;
  for (RerolledLoop* loop : rerolling_) loop->created.emplace(value.internalToPointer(), value);
}

/// Called before a container or object is changed.
void RunningLoops::note_write(const c10::IValue& value) {
  for (size_t i = 0; i < rerolling_.size(); ++i) {
    RerolledLoop& loop = *rerolling_[i];
    const void* key = value.internalToPointer();
    if (loop.created.contains(key) || loop.written.contains(key)) continue;
    Written written{value, std::nullopt};
    if (loop.iterations > 0) written.content = ContentReader({}).read(value);
    loop.written.emplace(key, std::move(written));
  }
}

/// The length of a changed list in the current iteration, if every iteration adds as many elements
/// as the first one.
Mark RunningLoops::length_in_iteration(const RerolledLoop& loop, const ChangedList& each,
                                       int64_t count) const {
  const Dim iteration = Dim::symbol(loop.symbol);
  const auto began = loop.lengths.find(each.list.internalToPointer());
  if (began == loop.lengths.end() || loop.iterations == 0 || (each.known && !is_size(each.known)))
    return opaque_mark(iteration);
  const int64_t added = began->second - each.before;
  if (added % loop.iterations != 0) return opaque_mark(iteration);
  return size_mark(size_or(each.known, each.before) + Dim(added / loop.iterations) * iteration +
                   Dim(count - began->second));
}

/// Called after a list was changed: inside a rerolled loop, its length depends on the iteration.
void RunningLoops::follow_growth(const c10::IValue& list) {
  if (rerolling_.empty() || !list.isList()) return;
  const RerolledLoop& loop = *rerolling_.back();
  const ChangedLists& lists = changed_lists_.back();
  const auto found = lists.find(list.internalToPointer());
  if (found == lists.end() || loop.created.contains(list.internalToPointer())) return;
  const Mark length_mark = marks_.of(list);
  if (length_mark && !is_size(length_mark) && !depends_on_iteration(length_mark)) return;
  const int64_t count = count_of(list);
  if (count == found->second.before && !loop.lengths.contains(list.internalToPointer())) return;
  marks_.set(list, length_in_iteration(loop, found->second, count));
}

void RunningLoops::begin_iteration(RerolledLoop& loop) {
  loop.created.clear();
  for (const auto& [key, each] : changed_lists_.back()) {
    const int64_t count = count_of(each.list);
    if (loop.iterations == 0 || (count == each.before && !loop.lengths.contains(key))) continue;
    loop.lengths[key] = count;
    if (!is_data(marks_.of(each.list)))
      marks_.set(each.list, length_in_iteration(loop, each, count));
  }
}

/// Checks that every iteration leaves the same contents.
void RunningLoops::check_written(RerolledLoop& loop) {
  for (auto& [key, written] : loop.written) {
    marks_.after_iteration(written.value);
    Content contents = ContentReader(changed_lists_.back()).read(written.value);
    if (written.content && !is_unchanged(*written.content, contents)) refuse_change(written.value);
    written.content = std::move(contents);
  }
}

void RunningLoops::check_carried(const RerolledLoop& loop,
                                 const std::vector<c10::IValue>& after) const {
  for (size_t i = 0; i < after.size(); ++i) {
    if (loop.steps[i] || keeps_content(unmarked(loop.carried[i]), unmarked(after[i]))) continue;
    loops::refuse_loop("a number that is not a tensor changes from iteration to iteration",
                       "let it grow by a constant (count += 1), or carry a tensor");
  }
}

void RunningLoops::end_iteration(RerolledLoop& loop, std::vector<c10::IValue> after) {
  if (loop.iterations > 0) check_carried(loop, after);
  for (size_t i = 0; i < after.size(); ++i) follow_rebound(loop, i, after[i]);
  loop.carried = std::move(after);
  for (size_t i = 0; i < loop.carried.size(); ++i)
    if (!loop.steps[i]) loop.carried[i] = marks_.after_iteration(loop.carried[i]);
  check_written(loop);
  note_iteration_end(loop);
}

ChangedLists RunningLoops::end() {
  ChangedLists out = std::move(changed_lists_.back());
  changed_lists_.pop_back();
  return out;
}

void RunningLoops::begin_rerolled(RerolledLoop& loop) {
  begin();
  rerolling_.push_back(&loop);
}

ChangedLists RunningLoops::end_rerolled() {
  rerolling_.pop_back();
  return end();
}

void RunningLoops::note_list(const std::string& name, const torch::jit::Stack& inputs) {
  const bool changes = name == "aten::append" || name == "aten::extend" || name == "aten::insert" ||
                       name == "aten::add_" || name == "aten::pop" || name == "aten::Delete" ||
                       name == "aten::clear" || name == "aten::mul_" || name == "aten::remove";
  if (!changes || !inputs[0].isList()) return;
  const bool prepends = name == "aten::insert" && unmarked(inputs[1]).toInt() == 0;
  const bool appends = name == "aten::append" || name == "aten::extend" || name == "aten::add_";
  for (ChangedLists& lists : changed_lists_) {
    const ChangedList current{inputs[0], count_of(inputs[0]), marks_.of(inputs[0]),
                              marks_.list_layout(inputs[0])};
    ChangedList& each = lists.try_emplace(inputs[0].internalToPointer(), current).first->second;
    each.only_grows = each.only_grows && appends;
    each.only_leads = each.only_leads && prepends;
  }
}

/// A list that every iteration made longer or shorter: its length depends on the iteration count.
void RunningLoops::mark_list_length(const c10::IValue& list, int64_t before, const Mark& mark,
                                    int64_t iterations, const Dim& length) {
  const int64_t growth = count_of(list) - before;
  if (iterations == 0) return;
  if (growth % iterations == 0 && (!mark || is_size(mark)))
    marks_.set(list, size_mark(size_or(mark, before) + Dim(growth / iterations) * length));
  else if (!is_data(mark))
    marks_.set(list, join(mark, opaque_mark(length)));
}

/// A list to which every iteration appended or prepended: the new elements form one segment.
void RunningLoops::add_grown_segment(const c10::IValue& list, ListLayout before, bool at_end) {
  const auto length = exact_size(marks_.of(list));
  if (!length || before.empty()) return;
  ListSegment added{*length, count_of(list)};
  for (const ListSegment& each : before)
    added = {added.length - each.length, added.count - each.count};
  before.insert(at_end ? before.end() : before.begin(), added);
  marks_.set_list_layout(list, std::move(before));
}

/// Whether the iterations added numbers of elements that depend on sizes: the marks of the writes
/// hold for as many iterations as ran.
bool RunningLoops::grew_by_sizes(const ChangedList& each) const {
  const auto before = each.known ? exact_size(each.known) : std::optional(Dim(each.before));
  const auto after = exact_size(marks_.of(each.list));
  return before && after && !(*after - *before).is_constant();
}

/// The lengths depend on sizes; nothing more is known of a loop that ends by a condition.
void RunningLoops::mark_list_lengths(const ChangedLists& lists, int64_t iterations,
                                     const Mark& trips) {
  const auto length = exact_size(trips);
  if (!length) return;
  for (const auto& [key, each] : lists) {
    if (grew_by_sizes(each)) {
      decisions_.add_guard({*length, ir::Relation::eq, Dim(iterations)});
      continue;
    }
    mark_list_length(each.list, each.before, each.known, iterations, *length);
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

/// Notes the tensors in each variable, and in everything that the loop writes, after an iteration.
void RunningLoops::note_iteration_end(RerolledLoop& loop) const {
  const auto note = [&](const RerolledLoop::Slot& slot, const c10::IValue& value) {
    const std::vector<at::Tensor> tensors = tensors_in(value);
    IterationEnds& ends = loop.ends[slot];
    if (ends.first_iteration < 0)
      ends = {loop.iterations, std::vector<std::vector<IterationEnd>>(tensors.size())};
    // Elements that a list gained in the loop keep their positions.
    for (size_t i = 0; i < std::min(tensors.size(), ends.tensors.size()); ++i)
      ends.tensors[i].push_back(origins_->at_iteration_end(tensors[i]));
  };
  for (size_t i = 0; i < loop.carried.size(); ++i) note(i, loop.carried[i]);
  for (const auto& [key, written] : loop.written) note(key, written.value);
}

/// Adds a guard if the last tensor was only passed on by the iterations: the loop must run until
/// the tensor no longer changes. Errors: `dynamic-loop` if it changes in every iteration.
void RunningLoops::guard_iteration_end(const std::vector<IterationEnd>& ends,
                                       int64_t first_iteration, const Dim& length) {
  if (ends.empty() || ends.back().is_own) return;
  const auto last = origins_->value_after_loop(ends.back());
  if (!last) return;
  size_t same_from = ends.size() - 1;
  while (same_from > 0 && origins_->value_after_loop(ends[same_from - 1]) == last) --same_from;
  if (same_from + 1 == ends.size())
    loops::refuse_loop("the tensor that a variable holds after it depends on its iteration count",
                       "choose with torch.where, or compute it in each iteration");
  const int64_t iterations = first_iteration + static_cast<int64_t>(same_from) + 1;
  if (iterations > 1) decisions_.add_guard({length, Relation::ge, Dim(iterations)});
}

void RunningLoops::guard_iteration_ends(const RerolledLoop& loop, const Dim& length) {
  for (const auto& [slot, ends] : loop.ends)
    for (const std::vector<IterationEnd>& each : ends.tensors)
      // A list that became shorter has lost its last elements.
      if (ends.first_iteration + static_cast<int64_t>(each.size()) == loop.iterations)
        guard_iteration_end(each, ends.first_iteration, length);
}

}  // namespace t2n::trace
