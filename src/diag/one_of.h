// SPDX-License-Identifier: Apache-2.0
// Membership in a small set of names; iteration over space-separated words.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace t2n {

template <size_t N>
bool is_one_of(std::string_view name, const std::array<std::string_view, N>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// `words` are separated by spaces.
template <typename Visit>
void for_each_word(std::string_view words, const Visit& visit) {
  for (size_t at = 0; at < words.size();) {
    const size_t end = std::min(words.find(' ', at), words.size());
    if (end > at) visit(words.substr(at, end - at));
    at = end + 1;
  }
}

}  // namespace t2n
