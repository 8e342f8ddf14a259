// SPDX-License-Identifier: Apache-2.0
#include "src/config/compression_settings.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "src/config/json_parse.h"
#include "src/diag/error.h"

namespace t2n::config {
namespace {

compress::OptionValue value_of(const Json& value, const std::string& key,
                               const JsonSource& source) {
  if (value.is_null()) return std::monostate();
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number()) return value.get<double>();
  if (value.is_string()) return value.get<std::string>();
  refuse(source,
         cat(quoted(key), " is a list, where a number, a text, true, false or null is expected"));
}

void read_options(const Json& table, const std::string& prefix, const JsonSource& source,
                  compress::SettingsEntry& out) {
  for (const auto& [name, value] : table.items()) {
    const std::string key = prefix.empty() ? name : cat(prefix, ".", name);
    if (!value.is_object())
      out.options.push_back({key, value_of(value, key, source)});
    else if (prefix.empty())
      read_options(value, key, source, out);
    else
      refuse(source, cat(quoted(key), " is a table, where a setting is expected"));
  }
}

JsonSource source_of(const std::string& origin) {
  return {cat("the compression settings ", origin), R"({"": {"weights": {"bits": 8}}})",
          "see docs/compression.md for the settings, and docs/compression.schema.json"};
}

compress::SettingsEntry entry_of(const std::string& scope, const Json& table,
                                 const JsonSource& source, const std::string& origin) {
  compress::SettingsEntry out{scope, {}, origin};
  read_options(table, "", source, out);
  return out;
}

/// Whether a table contains settings, rather than tables by module.
bool is_settings_table(const Json& table) {
  constexpr std::array<std::string_view, 5> kParts = {"weights", "activations", "bias", "prune",
                                                      "bias_correction"};
  return !table.empty() && std::all_of(table.items().begin(), table.items().end(), [&](auto& each) {
    return std::find(kParts.begin(), kParts.end(), each.key()) != kParts.end();
  });
}

std::vector<compress::SettingsEntry> by_module(const Json& json, const JsonSource& source,
                                               const std::string& origin) {
  std::vector<compress::SettingsEntry> out;
  for (const auto& [scope, table] : json.items()) {
    if (scope == "$schema" && table.is_string()) continue;  // of editors
    if (!table.is_object())
      refuse(source, cat("the settings of ", quoted(scope),
                         " are not a table; write, for example, ", source.example));
    out.push_back(entry_of(scope, table, source, origin));
  }
  return out;
}

}  // namespace

std::vector<compress::SettingsEntry> read_compression_settings(const std::string& text,
                                                               const std::string& file) {
  const JsonSource source = source_of(cat("in ", quoted(file)));
  return by_module(parse_object(text, source), source, file);
}

std::vector<compress::SettingsEntry> read_module_settings(const std::string& text,
                                                          const std::string& origin) {
  const JsonSource source = source_of(cat("of ", origin));
  const Json json = parse_object(text, source);
  if (is_settings_table(json)) return {entry_of("", json, source, origin)};
  return by_module(json, source, origin);
}

}  // namespace t2n::config
