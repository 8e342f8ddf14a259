// SPDX-License-Identifier: Apache-2.0
// Reading and ordering version numbers.
#include "src/tract/version.h"

#include <charconv>

#include "src/diag/error.h"

namespace t2n::tract {

std::optional<EngineVersion> parse_version(std::string_view text) {
  EngineVersion version;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (int* const part : {&version.major, &version.minor, &version.patch}) {
    if (part != &version.major && (at == end || *at++ != '.')) return std::nullopt;
    const auto [next, error] = std::from_chars(at, end, *part);
    if (error != std::errc() || *part < 0) return std::nullopt;
    at = next;
  }
  return version;
}

std::string version_str(const EngineVersion& version) {
  return cat(version.major, ".", version.minor, ".", version.patch);
}

bool serves(const EngineVersion& engine, const EngineVersion& target) {
  return engine.major == target.major && engine.minor == target.minor &&
         engine.patch >= target.patch;
}

}  // namespace t2n::tract
