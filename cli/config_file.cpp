#include "cli/config_file.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <optional>
#include <sstream>

#include "src/config/json_options.h"
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
  std::istringstream stream(text);
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

/// One value of one option.
struct Setting {
  std::string option;  ///< "target"
  std::string value;
  std::string file;
};

std::vector<Setting> settings_of(const std::string& path) {
  const std::string text = file_content(path);
  std::vector<Setting> out;
  for (const auto& [key, values] :
       path.ends_with(".json") ? config::read_json_settings(text, path) : read_toml(text, path)) {
    if (key == "config") throw Error("usage", cat(quoted(path), " names another options file"));
    const bool is_axis = key.starts_with("dynamic.");
    for (const std::string& value : values)
      out.push_back({is_axis ? "dynamic" : key, is_axis ? axis_text(key, value) : value, path});
  }
  return out;
}

bool takes_no_value(const CLI::Option& option) { return option.get_items_expected_max() == 0; }

bool is_repeatable(const CLI::Option& option) {
  return option.get_expected_max() == CLI::detail::expected_max_vector_size;
}

/// A flag's value, or its default if none is needed.
std::string plain_value(const CLI::Option& option, const std::string& value) {
  return takes_no_value(option) ? option.get_flag_value(option.get_lnames().at(0), value) : value;
}

/// The subject of a value: the input of `--input`, the axis of `--dynamic`. Two values with the
/// same subject contradict each other; "" if they never do.
std::string subject_of(const std::string& option, const std::string& value) {
  if ((option != "input" && option != "dynamic") || value.starts_with('@')) return {};
  std::string out = value.substr(0, value.find('='));
  std::erase_if(out, [](char c) { return c == ' ' || c == ']'; });
  const size_t colon = std::min(option == "dynamic" ? out.find(':') : out.size(), out.size());
  std::replace_if(
      out.begin(), out.begin() + static_cast<std::ptrdiff_t>(colon),
      [](char c) { return c == '.' || c == '['; }, '_');
  return out;
}

/// The option that contradicts this one, or "".
std::string opposite_of(const std::string& option) {
  return option == "quiet" ? "verbose" : option == "verbose" ? "quiet" : "";
}

bool is_on_command_line(const CLI::App& command, const std::string& option) {
  const CLI::Option* found = option.empty() ? nullptr : command.get_option_no_throw("--" + option);
  return found != nullptr && found->count() > 0;
}

/// The value from the command line that overrides the setting, if any.
std::optional<std::string> override_of(const CLI::Option& option, const Setting& setting) {
  if (option.count() == 0) return {};
  // --method on the command line replaces the methods of a file.
  if (!is_repeatable(option) || setting.option == "method")
    return plain_value(option, option.results().back());
  const std::string subject = subject_of(setting.option, setting.value);
  for (const std::string& value : option.results())
    if (!subject.empty() && subject_of(setting.option, value) == subject) return value;
  return {};
}

/// Equal settings do not contradict each other.
bool is_set(const std::vector<Setting>& settings, const Setting& setting) {
  return std::any_of(settings.begin(), settings.end(), [&](const Setting& each) {
    return each.option == setting.option && each.value == setting.value;
  });
}

[[noreturn]] void refuse_pair(const Setting& a, const Setting& b) {
  const std::string where = a.file == b.file
                                ? cat(quoted(a.file), " gives")
                                : cat(quoted(a.file), " and ", quoted(b.file), " give");
  throw Error("usage",
              cat(where, " --", a.option, " as ", quoted(a.value), " and as ", quoted(b.value)), {},
              "give it once");
}

/// Refuses an option with two different values in the files.
void check_pairs(const CLI::App& command, const std::vector<Setting>& settings) {
  for (size_t i = 0; i < settings.size(); ++i)
    for (size_t k = 0; k < i; ++k) {
      const Setting &a = settings[k], &b = settings[i];
      const CLI::Option* option = command.get_option_no_throw("--" + a.option);
      if (option == nullptr || a.option != b.option || a.value == b.value) continue;
      const std::string subject = subject_of(a.option, a.value);
      const bool is_same = !subject.empty() && subject_of(b.option, b.value) == subject;
      if (!is_repeatable(*option) || is_same) refuse_pair(a, b);
    }
}

/// Adds a setting to those of the files, or notes that the command line overrides it.
void add(const CLI::App& command, const Setting& setting, FileOptions& out) {
  const std::string name = "--" + setting.option;
  const CLI::Option* option = command.get_option_no_throw(name);
  out.origins[name] = setting.file;
  if (option == nullptr) {  // refused together with other unknown options
    out.tokens.push_back(name);
    return;
  }
  const std::string value = plain_value(*option, setting.value);
  const std::string opposite = opposite_of(setting.option);
  const std::string as_in = cat(" as in ", quoted(setting.file));
  if (value != "false" && is_on_command_line(command, opposite)) {
    out.overridden.push_back(cat("--", opposite, " replaces ", name, as_in));
  } else if (const auto cli_value = override_of(*option, setting)) {
    if (*cli_value != value)
      out.overridden.push_back(
          cat(name, " is ", quoted(*cli_value), ", not ", quoted(setting.value), as_in));
  } else if (!takes_no_value(*option)) {
    out.tokens.push_back(cat(name, "=", value));
  } else if (value != "false") {
    out.tokens.push_back(setting.value == "true" ? name : cat(name, "=", value));
  }
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
          "Repeatable: target = \"tract\", check = true, dynamic = [\"x:0=B\", \"x:1=S\"]. The "
          "command line overrides it, with a note.")
      ->type_name("FILE")
      ->allow_extra_args(false);
}

FileOptions read_config_files(const CLI::App& command) {
  FileOptions out;
  const CLI::Option* config = command.get_option_no_throw("--config");
  if (config == nullptr || config->count() == 0) return out;
  std::vector<Setting> settings;
  for (const std::string& path : config->results())
    for (Setting& setting : settings_of(path))
      if (!is_set(settings, setting)) settings.push_back(std::move(setting));
  check_pairs(command, settings);
  for (const Setting& setting : settings) add(command, setting, out);
  return out;
}

}  // namespace t2n::cli
