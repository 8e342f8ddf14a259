// SPDX-License-Identifier: Apache-2.0
// Version numbers of engines: "0.23.9".
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace t2n::tract {

struct EngineVersion {
  int major = 0;
  int minor = 0;
  int patch = 0;
  friend auto operator<=>(const EngineVersion&, const EngineVersion&) = default;
};

/// Nothing for text that is not a version; "0.23.6-pre" counts as 0.23.6.
std::optional<EngineVersion> parse_version(std::string_view text);
std::string version_str(const EngineVersion& version);

/// tract guarantees only that a model for 0.x.y loads in 0.x.z with z >= y.
bool serves(const EngineVersion& engine, const EngineVersion& target);

}  // namespace t2n::tract
