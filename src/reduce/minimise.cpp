// SPDX-License-Identifier: Apache-2.0
#include "src/reduce/minimise.h"

#include <algorithm>

namespace t2n::reduce {
namespace {

/// The bounds of `parts` runs of nearly equal length.
std::vector<size_t> bounds(size_t size, size_t parts) {
  std::vector<size_t> out;
  for (size_t i = 0; i <= parts; ++i) out.push_back(size * i / parts);
  return out;
}

auto iterator_at(const Items& items, size_t index) {
  return items.begin() + static_cast<std::ptrdiff_t>(index);
}

Items within(const Items& items, size_t begin, size_t end) {
  return {iterator_at(items, begin), iterator_at(items, end)};
}

Items without(const Items& items, size_t begin, size_t end) {
  Items out = within(items, 0, begin);
  out.insert(out.end(), iterator_at(items, end), items.end());
  return out;
}

}  // namespace

Items minimise(Items items, const std::function<bool(const Items&)>& fails,
               const std::function<bool()>& is_over) {
  size_t parts = 2;
  while (items.size() >= 2 && !is_over()) {
    const std::vector<size_t> at = bounds(items.size(), parts);
    const auto first_of = [&](auto candidate) {
      for (size_t i = 0; i < parts && !is_over(); ++i)
        if (Items other = candidate(items, at[i], at[i + 1]); !other.empty() && fails(other)) {
          items = std::move(other);
          return true;
        }
      return false;
    };
    if (first_of(within)) {
      parts = 2;
    } else if (parts > 2 && first_of(without)) {
      parts = std::max<size_t>(parts - 1, 2);
    } else if (parts < items.size()) {
      parts = std::min(parts * 2, items.size());
    } else {
      break;
    }
    parts = std::min(parts, items.size());
  }
  return items;
}

}  // namespace t2n::reduce
