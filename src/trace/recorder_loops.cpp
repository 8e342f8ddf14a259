// Rolled loops on the recorder's side: which iteration of which loop made a tensor. What Python's
// variables and lists hold is followed by it.
#include <algorithm>

#include "src/trace/iteration.h"
#include "src/trace/recorder.h"

namespace t2n::trace {

void Recorder::begin_loop(const ir::Symbol& number) {
  rolling_.begin_loop(number);
  ++iteration_;
}

void Recorder::end_iteration() {
  rolling_.end_iteration();
  ++iteration_;
  // Read later, they would be taken for numbers of a later iteration.
  std::erase_if(numbers_, [](const auto& each) { return depends_on_iteration(each.second); });
}

loops::Rolled Recorder::end_loop(const ir::Dim& length, Place place) {
  marked_nodes_ = rolling_.open().back().bounds.front();
  loops::Rolled out = rolling_.end_loop(length, place);
  mark_new_nodes();
  return out;
}

void Recorder::check_view(const Track& track) const {
  if (track.view == nullptr || track.iteration == iteration_ ||
      !mentions_iteration(track.view->call.node))
    return;
  refuse_loop(graph_, track.view->call.node,
              "a view that one iteration made is read or written in another",
              "clone() it in the iteration that makes it");
}

bool Recorder::is_of_open_loop(const at::Tensor& tensor) const {
  const int index = find(tensor);
  return index >= 0 && !rolling_.open().empty() &&
         rolling_.is_made_since(rolling_.open().front().first_values.front(),
                                tracks_[static_cast<size_t>(index)].value);
}

std::optional<loops::Origin> Recorder::origin(const at::Tensor& tensor) const {
  const int index = find(tensor);
  if (index < 0) return std::nullopt;
  return rolling_.origin(tracks_[static_cast<size_t>(index)].value);
}

bool Recorder::is_of_iteration(const at::Tensor& tensor) const {
  const auto made = origin(tensor);
  return made && made->is_loop;
}

bool Recorder::are_made_in_order(const std::vector<std::pair<int64_t, at::Tensor>>& placed) const {
  constexpr size_t kLeast = 2;
  if (placed.size() < kLeast) return false;
  const auto first = origin(placed[0].second), second = origin(placed[1].second);
  if (!first || !second) return false;
  const int64_t step = second->place - first->place, gap = placed[1].first - placed[0].first;
  return std::all_of(placed.begin(), placed.end(), [&](const auto& each) {
    const auto of = origin(each.second);
    return of && of->is_loop == first->is_loop && of->maker == first->maker &&
           (of->place - first->place) * gap == (each.first - placed[0].first) * step;
  });
}

IterationEnd Recorder::left_by_iteration(const at::Tensor& tensor) const {
  const int index = find(tensor);
  if (index < 0) return {ir::kNoValue, tensor.unsafeGetTensorImpl(), false};
  const Track& track = tracks_[static_cast<size_t>(index)];
  const bool is_stale = track.seen != roots_[static_cast<size_t>(track.root)].version;
  const ir::ValueId since = rolling_.open().back().first_values.back();
  return {track.value, nullptr, is_stale || rolling_.is_made_since(since, track.value)};
}

std::optional<IterationEnd> Recorder::from_outside(const IterationEnd& end) const {
  if (end.value == ir::kNoValue) return end;
  if (rolling_.is_of_scan(end.value)) return std::nullopt;
  return IterationEnd{rolling_.resolved(end.value), nullptr, end.is_own};
}

}  // namespace t2n::trace
