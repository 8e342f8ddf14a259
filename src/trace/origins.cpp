#include "src/trace/origins.h"

#include <algorithm>

namespace t2n::trace {

bool Origins::is_of_open_loop(const at::Tensor& tensor) const {
  const int index = aliases_.find(tensor);
  return index >= 0 && !rolling_.open().empty() &&
         rolling_.is_made_since(rolling_.open().front().first_values.front(),
                                aliases_[index].value);
}

std::optional<loops::Origin> Origins::of(const at::Tensor& tensor) const {
  const int index = aliases_.find(tensor);
  if (index < 0) return std::nullopt;
  return rolling_.origin(aliases_[index].value);
}

bool Origins::is_of_iteration(const at::Tensor& tensor) const {
  const auto made = of(tensor);
  return made && made->is_loop;
}

bool Origins::are_made_in_order(const std::vector<std::pair<int64_t, at::Tensor>>& placed) const {
  constexpr size_t kLeast = 2;
  if (placed.size() < kLeast) return false;
  const auto first = of(placed[0].second), second = of(placed[1].second);
  if (!first || !second) return false;
  const int64_t step = second->place - first->place, gap = placed[1].first - placed[0].first;
  return std::all_of(placed.begin(), placed.end(), [&](const auto& each) {
    const auto made = of(each.second);
    return made && made->is_loop == first->is_loop && made->maker == first->maker &&
           (made->place - first->place) * gap == (each.first - placed[0].first) * step;
  });
}

IterationEnd Origins::left_by_iteration(const at::Tensor& tensor) const {
  const int index = aliases_.find(tensor);
  if (index < 0) return {ir::kNoValue, tensor.unsafeGetTensorImpl(), false};
  const TensorInfo& entry = aliases_[index];
  const bool is_stale = aliases_.is_stale(entry);
  const ir::ValueId since = rolling_.open().back().first_values.back();
  return {entry.value, nullptr, is_stale || rolling_.is_made_since(since, entry.value)};
}

std::optional<IterationEnd> Origins::from_outside(const IterationEnd& end) const {
  if (end.value == ir::kNoValue) return end;
  if (rolling_.is_of_scan(end.value)) return std::nullopt;
  return IterationEnd{rolling_.resolved(end.value), nullptr, end.is_own};
}

}  // namespace t2n::trace
