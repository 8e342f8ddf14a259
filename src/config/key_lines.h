// SPDX-License-Identifier: Apache-2.0
// The lines of a file of options: where keys are, for messages, and which belong together.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace t2n::config {

/// By key, with the names of its tables joined by '.', the line of its first occurrence. Texts that
/// the readers refuse give any result.
std::map<std::string, size_t> json_key_lines(std::string_view text);
std::map<std::string, size_t> toml_key_lines(std::string_view text);

/// TOML with each list in one line.
std::string with_joined_lists(std::string_view toml);

}  // namespace t2n::config
