// SPDX-License-Identifier: Apache-2.0
// Reads a command's options from a JSON file.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace t2n::config {

/// A key and its values, in the file's order; keys of nested tables are joined by '.'.
using Settings = std::vector<std::pair<std::string, std::vector<std::string>>>;

/// {"target": "tract", "check": true, "dynamic": {"x": {"0": "B"}}} gives target, check and
/// dynamic.x.0. Errors: `usage`, naming the key, for anything but an object of strings, numbers,
/// booleans, lists of these, and objects.
Settings read_json_settings(const std::string& text, const std::string& file);

}  // namespace t2n::config
