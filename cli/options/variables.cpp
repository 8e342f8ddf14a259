// SPDX-License-Identifier: Apache-2.0
#include "cli/options/variables.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <sstream>
#include <string_view>

#include "src/diag/error.h"
#include "src/diag/one_of.h"

namespace t2n::cli {
namespace {

constexpr std::string_view kPrefix = "T2NNEF_";

/// Variables that are no options.
constexpr std::array<std::string_view, 4> kKnown = {"T2NNEF_TRACT_LIB", "T2NNEF_TORCH",
                                                    "T2NNEF_CONFINE", "T2NNEF_PYTHON"};
/// Options that only a command line has.
constexpr std::array<std::string_view, 2> kNever = {"help", "help-all"};
/// `export` and `reduce` refuse these without --check.
constexpr std::array<std::string_view, 5> kOfCheck = {"engine", "tolerance", "seeds", "strict",
                                                      "localize"};
constexpr std::array<std::string_view, 2> kMayCheck = {"export", "reduce"};
constexpr std::array<std::string_view, 2> kChecks = {"check", "against"};

/// "T2NNEF_MAX_MEMORY"
std::string variable_of(const std::string& option) {
  std::string out(kPrefix);
  for (const char c : option)
    out += c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return out;
}

/// Flags are also set by 1, yes and on.
std::string flag_value(std::string value) {
  std::transform(value.begin(), value.end(), value.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (is_one_of(value, std::array<std::string_view, 4>{"1", "yes", "on", "true"})) return "true";
  if (is_one_of(value, std::array<std::string_view, 4>{"0", "no", "off", "false"})) return "false";
  return value;
}

bool is_settable(const CLI::Option& option) {
  return !option.get_lnames().empty() && !option.get_positional() &&
         !is_one_of(option.get_lnames()[0], kNever);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> own_variables() {
  std::vector<std::pair<std::string, std::string>> out;
  for (char** each = environ; each != nullptr && *each != nullptr; ++each) {
    const std::string text = *each;
    const size_t equals = text.find('=');
    if (text.starts_with(kPrefix) && equals != std::string::npos)
      out.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<Setting> variable_settings(const CLI::App& command) {
  const auto variables = own_variables();
  std::vector<Setting> out;
  for (const CLI::Option* option : command.get_options()) {
    if (!is_settable(*option)) continue;
    const std::string name = option->get_lnames()[0];
    for (const auto& [variable, value] : variables) {
      if (variable != variable_of(name)) continue;
      std::istringstream lines(value);
      for (std::string line; std::getline(lines, line);)
        if (!line.empty())
          out.push_back({Setting::Layer::variable, name,
                         takes_no_value(*option) ? flag_value(line) : line, variable});
    }
  }
  return out;
}

std::vector<Setting> without_those_of_check(const CLI::App& command,
                                            std::vector<Setting> settings) {
  const auto is_set = [&](const char* option) {
    const CLI::Option* const found = command.get_option_no_throw(option);
    return found != nullptr && found->count() > 0;
  };
  const bool is_checked = !is_one_of(command.get_name(), kMayCheck) || is_set("--check") ||
                          is_set("--against") ||
                          std::any_of(settings.begin(), settings.end(), [](const Setting& each) {
                            return is_one_of(each.option, kChecks) && each.value != "false";
                          });
  if (!is_checked)
    std::erase_if(settings, [](const Setting& each) {
      return each.layer == Setting::Layer::variable && is_one_of(each.option, kOfCheck);
    });
  return settings;
}

std::vector<std::string> misspelt_variables(const CLI::App& program) {
  std::vector<std::string> names;
  for (const std::string_view known : kKnown) names.emplace_back(known.substr(kPrefix.size()));
  for (const CLI::App* command : program.get_subcommands(nullptr))
    for (const CLI::Option* option : command->get_options())
      if (is_settable(*option))
        names.push_back(variable_of(option->get_lnames()[0]).substr(kPrefix.size()));
  std::vector<std::string> out;
  for (const auto& [variable, value] : own_variables()) {
    const std::string name = variable.substr(kPrefix.size());
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    if (const std::string near = nearest(name, names); !near.empty())
      out.push_back(cat(variable, ": did you mean ", kPrefix, near, "?"));
  }
  return out;
}

}  // namespace t2n::cli
