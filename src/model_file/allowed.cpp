// SPDX-License-Identifier: Apache-2.0
#include "src/model_file/allowed.h"

#include <algorithm>
#include <unordered_set>

namespace t2n::model_file {

bool is_allowed(std::string_view name) {
  static const std::unordered_set<std::string_view> names = [] {
    std::unordered_set<std::string_view> out;
    for (std::string_view text = allowed_operators(); !text.empty();) {
      const std::string_view line = text.substr(0, text.find('\n'));
      text.remove_prefix(std::min(line.size() + 1, text.size()));
      if (!line.empty() && line[0] != '#') out.insert(line);
    }
    return out;
  }();
  return names.contains(name);
}

}  // namespace t2n::model_file
