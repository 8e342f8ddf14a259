// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/loops/origins.h"

#include <algorithm>

namespace t2n::trace {

bool Origins::is_from_running_loop(const at::Tensor& tensor) const {
  const int index = aliases_.find(tensor);
  return index >= 0 && !rerolling_.open().empty() &&
         rerolling_.is_produced_since(rerolling_.open().front().first_values.front(),
                                      aliases_[index].value);
}

std::optional<loops::Origin> Origins::origin_of(const at::Tensor& tensor) const {
  const int index = aliases_.find(tensor);
  if (index < 0) return std::nullopt;
  return rerolling_.origin(aliases_[index].value);
}

bool Origins::is_from_iteration(const at::Tensor& tensor) const {
  const auto origin = origin_of(tensor);
  return origin && origin->is_loop;
}

bool Origins::are_in_order(const std::vector<std::pair<int64_t, at::Tensor>>& indexed) const {
  constexpr size_t kLeast = 2;
  if (indexed.size() < kLeast) return false;
  const auto first = origin_of(indexed[0].second), second = origin_of(indexed[1].second);
  if (!first || !second) return false;
  const int64_t step = second->index - first->index, gap = indexed[1].first - indexed[0].first;
  return std::all_of(indexed.begin(), indexed.end(), [&](const auto& each) {
    const auto origin = origin_of(each.second);
    return origin && origin->is_loop == first->is_loop && origin->producer == first->producer &&
           (origin->index - first->index) * gap == (each.first - indexed[0].first) * step;
  });
}

IterationEnd Origins::at_iteration_end(const at::Tensor& tensor) const {
  const int index = aliases_.find(tensor);
  if (index < 0) return {ir::kNoValue, tensor.unsafeGetTensorImpl(), false};
  const TensorInfo& entry = aliases_[index];
  const bool is_stale = aliases_.is_stale(entry);
  const ir::ValueId since = rerolling_.open().back().first_values.back();
  return {entry.value, nullptr, is_stale || rerolling_.is_produced_since(since, entry.value)};
}

std::optional<IterationEnd> Origins::value_after_loop(const IterationEnd& end) const {
  if (end.value == ir::kNoValue) return end;
  if (rerolling_.is_scan_result(end.value)) return std::nullopt;
  return IterationEnd{rerolling_.resolved(end.value), nullptr, end.is_own};
}

}  // namespace t2n::trace
