// SPDX-License-Identifier: Apache-2.0
// Presets, and entries that exclude modules.
#include "src/compress/settings/settings.h"

namespace t2n::compress {
namespace {

using Options = std::vector<Option>;

const std::vector<std::pair<std::string, Options>>& presets() {
  static const Options integers = {
      {"weights.format", "int"}, {"weights.bits", 8.0}, {"weights.granularity", "auto"}};
  static const std::vector<std::pair<std::string, Options>> all = {
      {"int8",
       {{"weights.format", "int"},
        {"weights.bits", 8.0},
        {"weights.granularity", "auto"},
        {"activations.bits", 8.0},
        {"activations.observer", "histogram"}}},
      {"int8-weights", integers},
      {"q4_0", {{"weights.format", "q4_0"}}},
      {"f16", {{"weights.format", "f16"}}}};
  return all;
}

}  // namespace

const std::vector<std::string>& preset_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> out;
    for (const auto& [name, options] : presets()) out.push_back(name);
    return out;
  }();
  return names;
}

std::vector<SettingsEntry> preset(std::string_view name) {
  for (const auto& [preset_name, options] : presets())
    if (preset_name == name) return {{"", options, "--compress " + preset_name}};
  return {};
}

std::vector<SettingsEntry> ignoring(const std::vector<std::string>& globs) {
  std::vector<SettingsEntry> out;
  for (const std::string& glob : globs)
    out.push_back({glob, {}, "--ignore", SettingsEntry::Kind::ignored});
  return out;
}

std::vector<SettingsEntry> limited_to(const std::vector<std::string>& globs) {
  std::vector<SettingsEntry> out;
  for (const std::string& glob : globs)
    out.push_back({glob, {}, "--only", SettingsEntry::Kind::only});
  return out;
}

}  // namespace t2n::compress
