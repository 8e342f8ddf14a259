// SPDX-License-Identifier: Apache-2.0
#include "cli/options/config_file.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>
#include <utility>

#include "cli/options/unknown.h"
#include "src/config/json_options.h"
#include "src/config/key_lines.h"
#include "src/diag/error.h"
#include "src/nnef/files.h"

namespace t2n::cli {
namespace {

std::string file_content(const std::string& path) {
  nnef::require_file(path, "usage");
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file) text << file.rdbuf();
  if (!file || !text)
    throw Error("usage", cat("cannot read the options in ", quoted(path)), "there is no such file");
  return text.str();
}

/// The line of a `[` outside of quotes that no `]` closes; 0 if there is none. CLI11 would take all
/// following lines for a part of the list.
size_t unclosed_line(const std::string& text) {
  std::istringstream stream(text);
  std::string line;
  size_t depth = 0, opened = 0;
  for (size_t number = 1; std::getline(stream, line); ++number) {
    const size_t first = line.find_first_not_of(" \t");
    if (first != std::string::npos && line[first] == ';') continue;
    char quote = 0;
    for (const char c : line) {
      if (c == '#') break;
      if (quote != 0 || c == '"' || c == '\'') {
        quote = quote == 0 ? c : quote == c ? '\0' : quote;
      } else if (c == '[') {
        if (depth++ == 0) opened = number;
      } else if (c == ']' && depth > 0) {
        --depth;
      }
    }
  }
  return depth == 0 ? 0 : opened;
}

config::Settings read_toml(const std::string& text, const std::string& path) {
  if (const size_t line = unclosed_line(text); line != 0)
    throw Error("usage", cat("cannot read the options in ", quoted(path)),
                cat("the [ in line ", line, " is not closed"));
  config::Settings out;
  std::istringstream stream(config::with_joined_lists(text));
  try {
    for (const CLI::ConfigItem& item : CLI::ConfigTOML().from_config(stream))
      if (item.name != "++" && item.name != "--")  // table boundaries
        out.emplace_back(item.fullname(), item.inputs);
  } catch (const CLI::Error& error) {
    throw Error("usage", cat("cannot read the options in ", quoted(path)), error.what());
  }
  return out;
}

/// "dynamic.x.0" and "B" as "x:0=B".
std::string axis_text(const std::string& key, const std::string& value) {
  const std::string axis = key.substr(std::string("dynamic.").size());
  const size_t dot = axis.rfind('.');
  if (dot == std::string::npos) return cat(axis, "=", value);
  return cat(axis.substr(0, dot), ":", axis.substr(dot + 1), "=", value);
}

/// A file of options, as the reader of its format gives it.
struct ConfigFile {
  std::string path;
  config::Settings settings;
  std::map<std::string, size_t> lines;  ///< of keys

  /// "'a.toml:3'", with the line of a key, or of the table that it is in.
  std::string where(std::string key) const {
    for (;;) {
      if (const auto found = lines.find(key); found != lines.end())
        return quoted(cat(path, ":", found->second));
      const size_t dot = key.rfind('.');
      if (dot == std::string::npos) return quoted(path);
      key.resize(dot);
    }
  }
};

ConfigFile read_file(const std::string& path) {
  const std::string text = file_content(path);
  if (path.ends_with(".json"))
    return {path, config::read_json_settings(text, path), config::json_key_lines(text)};
  return {path, read_toml(text, path), config::toml_key_lines(text)};
}

const CLI::App* command_called(const CLI::App& program, const std::string& name) {
  for (const CLI::App* command : program.get_subcommands(nullptr))
    if (command->get_name() == name) return command;
  return nullptr;
}

/// The command that a key such as "export.target" is for, and the rest of the key; the command that
/// runs, for a key at top level.
std::pair<const CLI::App*, std::string> addressed(const CLI::App& running, const std::string& key) {
  const size_t dot = key.find('.');
  if (dot == std::string::npos) return {&running, key};
  const CLI::App* const command = command_called(*running.get_parent(), key.substr(0, dot));
  if (command == nullptr) return {&running, key};
  return {command, key.substr(dot + 1)};
}

[[noreturn]] void refuse_command_table(const CLI::App& running, const std::string& name,
                                       const std::string& where) {
  std::vector<std::string> known = {"dynamic"};
  for (const CLI::App* command : running.get_parent()->get_subcommands(nullptr))
    known.push_back(command->get_name());
  const std::string near = nearest(name, known);
  throw Error("usage",
              cat("there is no command ", quoted(name), ", which a table in ", where, " names"), {},
              near.empty() ? "tables are named by commands, or `dynamic`"
                           : cat("did you mean ", quoted(near), "?"));
}

/// The settings of the running command; checks the keys of all others.
std::vector<Setting> settings_of(const ConfigFile& file, const CLI::App& running) {
  std::vector<Setting> out;
  for (const auto& [key, values] : file.settings) {
    const auto [command, name] = addressed(running, key);
    const bool is_axis = name.starts_with("dynamic.");
    if (command == &running && name == key && !is_axis && key.find('.') != std::string::npos)
      refuse_command_table(running, key.substr(0, key.find('.')), file.where(key));
    const std::string option = is_axis ? "dynamic" : name;
    if (option == "config")
      throw Error("usage", cat(file.where(key), " names another options file"));
    if (command->get_option_no_throw("--" + option) == nullptr)
      refuse_option("--" + option.substr(0, option.find('.')), *command,
                    cat(", set in ", file.where(key)));
    if (command != &running) continue;
    for (const std::string& value : values)
      out.push_back(
          {.layer = name == key ? Setting::Layer::top_level : Setting::Layer::command_table,
           .option = option,
           .value = is_axis ? axis_text(name, value) : value,
           .origin = file.where(key),
           .file = quoted(file.path)});
  }
  return out;
}

/// Equal settings do not contradict each other.
bool is_set(const std::vector<Setting>& settings, const Setting& setting) {
  return std::any_of(settings.begin(), settings.end(), [&](const Setting& each) {
    return each.layer == setting.layer && each.option == setting.option &&
           each.value == setting.value;
  });
}

}  // namespace

void add_config_option(CLI::App& command, std::vector<std::string>* files) {
  command
      .add_option_function<std::vector<std::string>>(
          "--config",
          [files](const std::vector<std::string>& paths) {
            if (files != nullptr) *files = paths;
          },
          "Options in a file, .json or .toml\n"
          "Repeatable: target = \"tract\", check = true, dynamic = [\"x:0=B\", \"x:1=S\"]; a "
          "table [export] is for that command. The command line and variables override it.")
      ->type_name("FILE")
      ->allow_extra_args(false);
}

std::vector<Setting> read_config_files(const CLI::App& command,
                                       const std::vector<std::string>& files) {
  std::vector<Setting> out;
  for (const std::string& path : files)
    for (Setting& setting : settings_of(read_file(path), command))
      if (!is_set(out, setting)) out.push_back(std::move(setting));
  return out;
}

}  // namespace t2n::cli
