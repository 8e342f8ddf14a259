// Parses JSON text into a tree, with errors for option files. Private to src/config.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace t2n::config {

using Json = nlohmann::ordered_json;

/// "cannot read the options in 'FILE'", with the reason.
[[noreturn]] void refuse_options(const std::string& file, const std::string& what);

/// Parses an object. Errors: `usage` for invalid JSON, for anything else, and for repeated keys.
Json parse_object(const std::string& text, const std::string& file);

}  // namespace t2n::config
