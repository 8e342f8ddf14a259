// Version numbers of engines: "0.23.9".
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace t2n::tract {

struct Version {
  int major = 0;
  int minor = 0;
  int patch = 0;
  friend auto operator<=>(const Version&, const Version&) = default;
};

/// What does not look like a version is no version; "0.23.6-pre" counts as 0.23.6.
std::optional<Version> parse_version(std::string_view text);
std::string version_str(const Version& version);

/// tract promises that a model written for 0.x.y loads in 0.x.z where z >= y, and nothing more.
bool serves(const Version& engine, const Version& target);

}  // namespace t2n::tract
