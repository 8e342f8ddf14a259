// Which turn of which loop made a tensor: what Python's variables and lists hold is followed by it.
#include <algorithm>

#include "src/trace/recorder.h"

namespace t2n::trace {

/// Whether an operation gave a value since `first` was the next one.
bool Recorder::is_made_since(ir::ValueId first, ir::ValueId id) const {
  const ir::ValueId value = resolved(id);
  const auto& constants = graph_.constants;  // in the order of their values
  const auto found = std::lower_bound(
      constants.begin(), constants.end(), value,
      [](const ir::Constant& constant, ir::ValueId at) { return constant.value < at; });
  const bool is_constant = found != constants.end() && found->value == value;
  return value >= first && !is_constant && !instances_.contains(value);
}

bool Recorder::is_of_open_loop(const at::Tensor& tensor) const {
  const int index = find(tensor);
  return index >= 0 && !loops_.empty() &&
         is_made_since(loops_.front().first_values.front(),
                       tracks_[static_cast<size_t>(index)].value);
}

/// What made a value, and the how manieth it was.
std::optional<Origin> Recorder::origin(const at::Tensor& tensor) const {
  const int index = find(tensor);
  if (index < 0) return std::nullopt;
  const ir::ValueId id = resolved(tracks_[static_cast<size_t>(index)].value);
  if (const auto found = instances_.find(id); found != instances_.end()) {
    if (found->second.family == kNoFamily) return std::nullopt;
    return Origin{true, static_cast<int64_t>(found->second.family), found->second.turn};
  }
  const auto part = part_of_.find(id);
  if (part == part_of_.end()) return std::nullopt;
  return Origin{false, part->second.first, part->second.second};
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

TurnEnd Recorder::left_by_turn(const at::Tensor& tensor) const {
  const int index = find(tensor);
  if (index < 0) return {ir::kNoValue, tensor.unsafeGetTensorImpl(), false};
  const Track& track = tracks_[static_cast<size_t>(index)];
  const bool is_stale = track.seen != roots_[static_cast<size_t>(track.root)].version;
  return {track.value, nullptr,
          is_stale || is_made_since(loops_.back().first_values.back(), track.value)};
}

std::optional<TurnEnd> Recorder::from_outside(const TurnEnd& end) const {
  if (end.value == ir::kNoValue) return end;
  const ir::ValueId id = resolved(end.value);
  if (instances_.contains(id)) return std::nullopt;
  return TurnEnd{id, nullptr, end.is_own};
}

}  // namespace t2n::trace
