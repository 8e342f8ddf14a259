// SPDX-License-Identifier: Apache-2.0
// Parses JSON text into a tree, with errors for option files. Private to src/config.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace t2n::config {

using Json = nlohmann::ordered_json;

/// The text being parsed, for messages.
struct JsonSource {
  std::string what;     ///< "the options in 'FILE'"
  std::string example;  ///< the expected form: "{ \"option\": value }"
  std::string help;
};

/// "cannot read WHAT", with the reason.
[[noreturn]] void refuse(const JsonSource& source, const std::string& why);

/// Parses an object. Errors: `usage` for invalid JSON, for anything else, and for repeated keys.
Json parse_object(const std::string& text, const JsonSource& source);

}  // namespace t2n::config
