#include "src/config/compression_settings.h"

#include "src/config/json_parse.h"
#include "src/diag/error.h"

namespace t2n::config {
namespace {

compress::OptionValue value_of(const Json& value, const std::string& key,
                               const std::string& origin) {
  if (value.is_null()) return std::monostate();
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number()) return value.get<double>();
  if (value.is_string()) return value.get<std::string>();
  refuse_options(
      origin,
      cat(quoted(key), " is a list, where a number, a text, true, false or null ", "is expected"));
}

void read(const Json& table, const std::string& prefix, const std::string& origin,
          compress::Entry& out) {
  for (const auto& [name, value] : table.items()) {
    const std::string key = prefix.empty() ? name : cat(prefix, ".", name);
    if (!value.is_object())
      out.options.push_back({key, value_of(value, key, origin)});
    else if (prefix.empty())
      read(value, key, origin, out);
    else
      refuse_options(origin, cat(quoted(key), " is a table, where a setting is expected"));
  }
}

}  // namespace

std::vector<compress::Entry> read_compression_settings(const std::string& text,
                                                       const std::string& origin) {
  std::vector<compress::Entry> out;
  const Json json = parse_object(text, origin);
  for (const auto& [scope, table] : json.items()) {
    if (!table.is_object())
      refuse_options(origin, cat("the settings of ", quoted(scope),
                                 " are no table: ", "{\"\": {\"weights\": {\"bits\": 8}}}"));
    compress::Entry entry{scope, {}, origin};
    read(table, "", origin, entry);
    out.push_back(std::move(entry));
  }
  return out;
}

}  // namespace t2n::config
