// SPDX-License-Identifier: Apache-2.0
#include "src/config/json_options.h"

#include "src/config/json_parse.h"
#include "src/diag/error.h"

namespace t2n::config {
namespace {

std::string scalar_text(const Json& value, const std::string& key, const JsonSource& source) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
  if (value.is_number()) return value.dump();
  refuse(source, cat(quoted(key), " is neither text, number, truth value nor a list of them"));
}

void read_settings(const Json& object, const std::string& prefix, const JsonSource& source,
                   Settings& out) {
  for (const auto& [name, value] : object.items()) {
    const std::string key = prefix.empty() ? name : cat(prefix, ".", name);
    if (value.is_object()) {
      read_settings(value, key, source, out);
      continue;
    }
    std::vector<std::string> values;
    if (value.is_array())
      for (const Json& element : value) values.push_back(scalar_text(element, key, source));
    else
      values.push_back(scalar_text(value, key, source));
    out.emplace_back(key, std::move(values));
  }
}

}  // namespace

Settings read_json_settings(const std::string& text, const std::string& file) {
  Settings out;
  const JsonSource source = {cat("the options in ", quoted(file)), "{ \"option\": value }",
                             "see `t2nnef export --help` for the names of options"};
  read_settings(parse_object(text, source), "", source, out);
  return out;
}

}  // namespace t2n::config
