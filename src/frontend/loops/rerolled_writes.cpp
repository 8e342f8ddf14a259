// Containers and objects that outlive an iteration of a rerolled loop. Every iteration must leave
// the same numbers in them, since the scan repeats one iteration.
#include "src/diag/error.h"
#include "src/frontend/loops/running_loops.h"
#include "src/loops/iteration.h"

namespace t2n::trace {
namespace {

using ir::Dim;

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
    if (has_identity(value) && !seen_.emplace(value.internalToPointer(), seen_.size()).second)
      return;
    if (value.isList()) {
      add_list(value);
    } else if (value.isTuple()) {
      for (const c10::IValue& element : value.toTupleRef().elements()) add(element);
    } else if (value.isGenericDict()) {
      add_count(value.toGenericDict().size());
      for (const auto& entry : value.toGenericDict()) {
        add(entry.key());
        add(entry.value());
      }
    } else if (value.isObject()) {
      for (const c10::IValue& slot : value.toObjectRef().slots()) add(slot);
    } else {
      out_.push_back(value.isTensor() ? c10::IValue("a tensor") : unmarked(value));
    }
  }

  void add_list(const c10::IValue& value) {
    const auto elements = value.toListRef();
    const auto changed = growing_.find(value.internalToPointer());
    if (changed != growing_.end() && changed->second.before != elements.size()) return;
    add_count(elements.size());
    for (const c10::IValue& element : elements) add(element);
  }

  void add_count(size_t count) { out_.emplace_back(static_cast<int64_t>(count)); }

  const ChangedLists& growing_;
  std::map<const void*, size_t> seen_;
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
  const auto count = [](const c10::IValue& value) {
    return static_cast<int64_t>(value.toListRef().size());
  };
  const int64_t added = count(list) - count(loop.carried[index]);
  const Mark known = marks_.of(initial);
  if (added == 0 || is_data(marks_.of(list))) return;
  const Dim iteration = Dim::symbol(loop.symbol);
  const bool is_even = count(list) - count(initial) == added * (loop.iterations + 1);
  marks_.set(list, is_even && (!known || is_size(known))
                       ? size_mark(size_or(known, count(initial)) + Dim(added) * iteration)
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
                                       size_t count) const {
  const Dim iteration = Dim::symbol(loop.symbol);
  const auto began = loop.lengths.find(each.list.internalToPointer());
  if (began == loop.lengths.end() || loop.iterations == 0 || (each.known && !is_size(each.known)))
    return opaque_mark(iteration);
  const auto before = static_cast<int64_t>(each.before);
  const int64_t added = static_cast<int64_t>(began->second) - before;
  if (added % loop.iterations != 0) return opaque_mark(iteration);
  return size_mark(size_or(each.known, before) + Dim(added / loop.iterations) * iteration +
                   Dim(static_cast<int64_t>(count) - static_cast<int64_t>(began->second)));
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
  const size_t count = list.toListRef().size();
  if (count == found->second.before && !loop.lengths.contains(list.internalToPointer())) return;
  marks_.set(list, length_in_iteration(loop, found->second, count));
}

void RunningLoops::begin_iteration(RerolledLoop& loop) {
  loop.created.clear();
  for (const auto& [key, each] : changed_lists_.back()) {
    const size_t count = each.list.toListRef().size();
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

}  // namespace t2n::trace
