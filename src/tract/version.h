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

/// What does not look like a version is no version; "0.23.6-pre" counts as 0.23.6.
std::optional<EngineVersion> parse_version(std::string_view text);
std::string version_str(const EngineVersion& version);

/// tract promises that a model written for 0.x.y loads in 0.x.z where z >= y, and nothing more.
bool serves(const EngineVersion& engine, const EngineVersion& target);

}  // namespace t2n::tract
