// Which turn of which loop made a tensor: what Python's variables and lists hold is followed by it.
#include <algorithm>

#include "src/trace/recorder.h"

namespace t2n::trace {
namespace {

bool makes(const ir::Node& node, ir::ValueId value) {
  return std::find(node.outputs.begin(), node.outputs.end(), value) != node.outputs.end();
}

}  // namespace

bool Recorder::is_of_open_loop(const at::Tensor& tensor) const {
  const int index = find(tensor);
  if (index < 0 || loops_.empty()) return false;
  const size_t first = loops_.front().bounds.front();
  const ir::ValueId value = tracks_[static_cast<size_t>(index)].value;
  return std::any_of(graph_.nodes.begin() + static_cast<std::ptrdiff_t>(first), graph_.nodes.end(),
                     [&](const ir::Node& node) { return makes(node, value); });
}

bool Recorder::are_made_together(const std::vector<at::Tensor>& tensors) const {
  std::vector<ir::ValueId> values;
  for (const at::Tensor& tensor : tensors)
    if (const int index = find(tensor); index >= 0)
      values.push_back(resolved(tracks_[static_cast<size_t>(index)].value));
  if (values.empty() || values.size() != tensors.size()) return false;
  const auto family = [&](ir::ValueId id) {
    const auto found = instances_.find(id);
    return found == instances_.end() ? kNoFamily : found->second.family;
  };
  const size_t first = family(values.front());
  const auto all = [&](auto holds) { return std::all_of(values.begin(), values.end(), holds); };
  if (first != kNoFamily) return all([&](ir::ValueId id) { return family(id) == first; });
  const auto node = std::find_if(graph_.nodes.begin(), graph_.nodes.end(),
                                 [&](const ir::Node& each) { return makes(each, values.front()); });
  return node != graph_.nodes.end() && all([&](ir::ValueId id) { return makes(*node, id); });
}

TurnEnd Recorder::left_by_turn(const at::Tensor& tensor) const {
  const int index = find(tensor);
  if (index < 0) return {ir::kNoValue, tensor.unsafeGetTensorImpl(), false};
  const Track& track = tracks_[static_cast<size_t>(index)];
  const bool is_stale = track.seen != roots_[static_cast<size_t>(track.root)].version;
  const size_t first = loops_.back().bounds.back();
  const auto begin = graph_.nodes.begin() + static_cast<std::ptrdiff_t>(first);
  const bool is_new = std::any_of(begin, graph_.nodes.end(),
                                  [&](const ir::Node& node) { return makes(node, track.value); });
  return {track.value, nullptr, is_stale || is_new};
}

std::optional<TurnEnd> Recorder::from_outside(const TurnEnd& end) const {
  if (end.value == ir::kNoValue) return end;
  const ir::ValueId id = resolved(end.value);
  if (instances_.contains(id)) return std::nullopt;
  return TurnEnd{id, nullptr, end.is_own};
}

}  // namespace t2n::trace
