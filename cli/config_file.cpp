#include "cli/config_file.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <optional>
#include <sstream>

#include "src/config/json_options.h"
#include "src/diag/error.h"
#include "src/nnef_reader/files.h"

namespace t2n::cli {
namespace {

std::string content_of(const std::string& path) {
  nnef::require_file(path, "usage");
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

/// "dynamic.x.0" and "B" as "x:0=B".
std::string axis_of(const std::string& key, const std::string& value) {
  const std::string place = key.substr(std::string("dynamic.").size());
  const size_t dot = place.rfind('.');
  if (dot == std::string::npos) return cat(place, "=", value);
  return cat(place.substr(0, dot), ":", place.substr(dot + 1), "=", value);
}

/// One value of one option.
struct Setting {
  std::string option;  ///< "target"
  std::string value;
  std::string file;
};

std::vector<Setting> settings_of(const std::string& path) {
  const std::string text = content_of(path);
  std::vector<Setting> out;
  for (const auto& [key, values] :
       path.ends_with(".json") ? config::read_json_settings(text, path) : read_toml(text, path)) {
    if (key == "config") throw Error("usage", cat(quoted(path), " names another options file"));
    const bool is_axis = key.starts_with("dynamic.");
    for (const std::string& value : values)
      out.push_back({is_axis ? "dynamic" : key, is_axis ? axis_of(key, value) : value, path});
  }
  return out;
}

bool is_flag(const CLI::Option& option) { return option.get_items_expected_max() == 0; }

bool repeats(const CLI::Option& option) {
  return option.get_expected_max() == CLI::detail::expected_max_vector_size;
}

/// A flag's value, or its default if none is needed.
std::string plain_value(const CLI::Option& option, const std::string& value) {
  return is_flag(option) ? option.get_flag_value(option.get_lnames().at(0), value) : value;
}

/// What a value of an option refers to: for `--input` the input, for `--dynamic` the axis. Two
/// values with the same subject contradict each other; "" if they never do.
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

/// The option that contradicts this one, or "". Of both, the later one would be ignored.
std::string opposite_of(const std::string& option) {
  return option == "quiet" ? "verbose" : option == "verbose" ? "quiet" : "";
}

bool is_given(const CLI::App& command, const std::string& option) {
  const CLI::Option* found = option.empty() ? nullptr : command.get_option_no_throw("--" + option);
  return found != nullptr && found->count() > 0;
}

/// The command line's value for the option; nothing if the file decides.
std::optional<std::string> given_instead(const CLI::Option& option, const Setting& setting) {
  if (option.count() == 0) return {};
  // Methods of a file are none that the command line adds to.
  if (!repeats(option) || setting.option == "method")
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

/// Two files, or two places in one, that give an option different values.
void check_pairs(const CLI::App& command, const std::vector<Setting>& settings) {
  for (size_t i = 0; i < settings.size(); ++i)
    for (size_t k = 0; k < i; ++k) {
      const Setting &a = settings[k], &b = settings[i];
      const CLI::Option* option = command.get_option_no_throw("--" + a.option);
      if (option == nullptr || a.option != b.option || a.value == b.value) continue;
      const std::string subject = subject_of(a.option, a.value);
      const bool is_same = !subject.empty() && subject_of(b.option, b.value) == subject;
      if (!repeats(*option) || is_same) refuse_pair(a, b);
    }
}

/// Adds a setting to those of the files, or notes that the command line overrides it.
void add(const CLI::App& command, const Setting& setting, FileOptions& out) {
  const std::string name = "--" + setting.option;
  const CLI::Option* option = command.get_option_no_throw(name);
  out.origins[name] = setting.file;
  if (option == nullptr) {  // refused together with other unknown words
    out.words.push_back(name);
    return;
  }
  const std::string value = plain_value(*option, setting.value);
  const std::string opposite = opposite_of(setting.option);
  const std::string as_in = cat(" as in ", quoted(setting.file));
  if (value != "false" && is_given(command, opposite)) {
    out.overridden.push_back(cat("it is --", opposite, ", not ", name, as_in));
  } else if (const auto instead = given_instead(*option, setting)) {
    if (*instead != value)
      out.overridden.push_back(
          cat(name, " is ", quoted(*instead), ", not ", quoted(setting.value), as_in));
  } else if (!is_flag(*option)) {
    out.words.push_back(cat(name, "=", value));
  } else if (value != "false") {
    out.words.push_back(setting.value == "true" ? name : cat(name, "=", value));
  }
}

}  // namespace

void add_config_option(CLI::App& command, std::vector<std::string>* files) {
  command
      .add_option_function<std::vector<std::string>>(
          "--config",
          [files](const std::vector<std::string>& given) {
            if (files != nullptr) *files = given;
          },
          "Options in a file, JSON (.json) or TOML: target = \"tract\", check = true,\n"
          "dynamic = [\"x:0=B\", \"x:1=S\"], assert = [\"S>=1\"]; what the command line\n"
          "gives itself wins, and is noted")
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
