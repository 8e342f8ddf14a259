#include "cli/config_file.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <sstream>

#include "src/config/json_options.h"
#include "src/diag/error.h"

namespace t2n::cli {
namespace {

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file) text << file.rdbuf();
  if (!file || !text)
    throw Error("usage", cat("cannot read the options in ", quoted(path)), "there is no such file");
  return text.str();
}

config::Settings read_toml(const std::string& text, const std::string& path) {
  config::Settings out;
  std::istringstream stream(text);
  try {
    for (const CLI::ConfigItem& item : CLI::ConfigTOML().from_config(stream))
      if (item.name != "++" && item.name != "--")  // the borders of tables
        out.emplace_back(item.fullname(), item.inputs);
  } catch (const CLI::Error& error) {
    throw Error("usage", cat("cannot read the options in ", quoted(path)), error.what());
  }
  return out;
}

bool is_given(const std::vector<std::string>& arguments, const std::string& option) {
  const std::string with_value = option + "=";
  return std::any_of(arguments.begin(), arguments.end(), [&](const std::string& word) {
    return word == option || word.starts_with(with_value);
  });
}

/// "dynamic.x.0" and "B" as "x:0=B".
std::string axis_of(const std::string& key, const std::string& value) {
  const std::string place = key.substr(std::string("dynamic.").size());
  const size_t dot = place.rfind('.');
  if (dot == std::string::npos) return cat(place, "=", value);
  return cat(place.substr(0, dot), ":", place.substr(dot + 1), "=", value);
}

bool adds_up(const std::string& key) {
  return key == "dynamic" || key == "assert" || key == "input" || key == "accept-guard" ||
         key == "disable-pass";
}

/// What the file says, as words of the command line; `given` are the user's own.
std::vector<std::string> arguments_of(const std::string& path,
                                      const std::vector<std::string>& given) {
  const std::string text = content_of(path);
  const bool json = path.ends_with(".json");
  std::vector<std::string> out;
  for (const auto& [key, values] :
       json ? config::read_json_settings(text, path) : read_toml(text, path)) {
    const bool axis = key.starts_with("dynamic.");
    const std::string option = axis ? "--dynamic" : "--" + key;
    if (key == "config") throw Error("usage", cat(quoted(path), " names another options file"));
    if (!axis && !adds_up(key) && is_given(given, option)) continue;
    for (const std::string& value : values) {
      if (value == "false") continue;
      out.push_back(value == "true" ? option
                                    : cat(option, "=", axis ? axis_of(key, value) : value));
    }
  }
  return out;
}

}  // namespace

void add_config_option(CLI::App& command) {
  command
      .add_option("--config",
                  "Options in a file, JSON (.json) or TOML: target = \"tract\", check = true,\n"
                  "dynamic = [\"x:0=B\", \"x:1=S\"], assert = [\"S>=1\"]")
      ->type_name("FILE");
}

std::vector<std::string> with_config_files(std::vector<std::string> arguments,
                                           std::map<std::string, std::string>& origins) {
  std::vector<std::string> out;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    std::string path;
    if (word.starts_with("--config="))
      path = word.substr(std::string("--config=").size());
    else if (word == "--config" && i + 1 < arguments.size())
      path = arguments[++i];
    if (path.empty()) {
      out.push_back(word);
      continue;
    }
    for (std::string& more : arguments_of(path, arguments)) {
      const std::string name = more.substr(0, more.find('='));
      if (!is_given(arguments, name)) origins[name] = path;
      out.push_back(std::move(more));
    }
  }
  return out;
}

}  // namespace t2n::cli
