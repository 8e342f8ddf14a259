#include "src/config/json_options.h"

#include "src/config/json_parse.h"
#include "src/diag/error.h"

namespace t2n::config {
namespace {

std::string scalar_text(const Json& value, const std::string& key, const std::string& file) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
  if (value.is_number()) return value.dump();
  refuse_options(file,
                 cat(quoted(key), " is neither text, number, truth value nor a list of them"));
}

void read(const Json& object, const std::string& prefix, const std::string& file, Settings& out) {
  for (const auto& [name, value] : object.items()) {
    const std::string key = prefix.empty() ? name : cat(prefix, ".", name);
    if (value.is_object()) {
      read(value, key, file, out);
      continue;
    }
    std::vector<std::string> values;
    if (value.is_array())
      for (const Json& element : value) values.push_back(scalar_text(element, key, file));
    else
      values.push_back(scalar_text(value, key, file));
    out.emplace_back(key, std::move(values));
  }
}

}  // namespace

Settings read_json_settings(const std::string& text, const std::string& file) {
  Settings out;
  read(parse_object(text, file), "", file, out);
  return out;
}

}  // namespace t2n::config
