// SPDX-License-Identifier: Apache-2.0
#include "cli/diagnostics_page.h"

#include <sstream>

namespace t2n::cli {

std::vector<std::pair<std::string, std::string>> exit_codes() {
  std::vector<std::pair<std::string, std::string>> out;
  std::istringstream lines{std::string(diagnostics_page())};
  for (std::string line; std::getline(lines, line);) {
    const size_t digits = line.starts_with("| ") ? line.find_first_not_of("0123456789", 2) : 0;
    if (digits <= 2 || digits == std::string::npos || line.compare(digits, 3, " | ") != 0) continue;
    out.emplace_back(line.substr(2, digits - 2), line.substr(digits + 3, line.size() - digits - 5));
  }
  return out;
}

}  // namespace t2n::cli
