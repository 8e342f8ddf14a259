// SPDX-License-Identifier: Apache-2.0
// Where packages of the active Python are, without importing anything.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace t2n::tract {

/// The entries of a folder, sorted; none if it cannot be read.
std::vector<std::string> sorted_entries(const std::string& folder);

/// The folders PREFIX/lib/python*/{site,dist}-packages/NAME that exist. A prefix that is not
/// absolute has none: the current folder may contain anything.
std::vector<std::string> packages_below(const std::string& prefix, std::string_view name);

/// The package's folder as that Python finds it: starts it, which takes tens of milliseconds.
std::optional<std::string> package_of(const std::string& python, std::string_view name);

}  // namespace t2n::tract
