// Whether a word is one of a few.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace t2n {

template <size_t N>
bool is_one_of(std::string_view name, const std::array<std::string_view, N>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace t2n
