// JSON text into a tree, with the errors of files of options. Private to src/config.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace t2n::config {

using Json = nlohmann::ordered_json;

/// "cannot read the options in 'FILE'": why.
[[noreturn]] void refuse_options(const std::string& file, const std::string& what);

/// An object. Errors: `usage` for what is no JSON, no object, and for keys that are given twice.
Json parse_object(const std::string& text, const std::string& file);

}  // namespace t2n::config
