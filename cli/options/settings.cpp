// SPDX-License-Identifier: Apache-2.0
#include "cli/options/settings.h"

#include <algorithm>
#include <optional>

#include "src/diag/error.h"

namespace t2n::cli {
namespace {

bool is_repeatable(const CLI::Option& option) {
  return option.get_expected_max() == CLI::detail::expected_max_vector_size;
}

/// A flag's value, or its default if none is needed.
std::string plain_value(const CLI::Option& option, const std::string& value) {
  return takes_no_value(option) ? option.get_flag_value(option.get_lnames().at(0), value) : value;
}

/// The subject of a value: the input of `--input`, the axis of `--dynamic`, the key of
/// `--metadata`. Two values with the same subject contradict each other; "" if they never do.
std::string subject_of(const std::string& option, const std::string& value) {
  if (option == "metadata") return value.substr(0, value.find('='));
  if ((option != "input" && option != "dynamic") || value.starts_with('@')) return {};
  std::string out = value.substr(0, value.find('='));
  std::erase_if(out, [](char c) { return c == ' ' || c == ']'; });
  const size_t colon = std::min(option == "dynamic" ? out.find(':') : out.size(), out.size());
  std::replace_if(
      out.begin(), out.begin() + static_cast<std::ptrdiff_t>(colon),
      [](char c) { return c == '.' || c == '['; }, '_');
  return out;
}

/// Whether the second value of an option replaces the first.
bool is_replaced(const CLI::Option& option, const std::string& name, const std::string& a,
                 const std::string& b) {
  // A --method replaces those of lower layers.
  if (!is_repeatable(option) || name == "method") return true;
  const std::string subject = subject_of(name, a);
  return !subject.empty() && subject_of(name, b) == subject;
}

/// The option that contradicts this one, or "".
std::string opposite_of(const std::string& option) {
  return option == "quiet" ? "verbose" : option == "verbose" ? "quiet" : "";
}

/// What overrides a setting: a value, or the option that contradicts it.
struct Override {
  std::string value;
  std::string opposite = {};
  bool is_setting = false;  ///< else: on the command line
};

std::optional<Override> on_command_line(const CLI::App& command, const CLI::Option& option,
                                        const Setting& setting) {
  const std::string opposite = opposite_of(setting.option);
  const CLI::Option* const other =
      opposite.empty() ? nullptr : command.get_option_no_throw("--" + opposite);
  if (other != nullptr && other->count() > 0) return Override{{}, opposite};
  const std::vector<std::string> values = option.results();
  for (size_t i = values.size(); i > 0; --i)
    if (is_replaced(option, setting.option, setting.value, values[i - 1]))
      return Override{plain_value(option, values[i - 1])};
  return std::nullopt;
}

std::optional<Override> in_earlier_layer(const CLI::Option& option, const Setting& setting,
                                         const std::vector<Setting>& settings) {
  for (const Setting& each : settings) {
    if (each.layer >= setting.layer) continue;
    if (each.option == opposite_of(setting.option) && each.value != "false")
      return Override{{}, each.option, true};
    if (each.option == setting.option &&
        is_replaced(option, each.option, setting.value, each.value))
      return Override{plain_value(option, each.value), {}, true};
  }
  return std::nullopt;
}

[[noreturn]] void refuse_pair(const Setting& a, const Setting& b) {
  const std::string where =
      a.file == b.file ? cat(a.file, " gives") : cat(a.file, " and ", b.file, " give");
  throw Error("usage",
              cat(where, " --", a.option, " as ", quoted(a.value), " and as ", quoted(b.value)), {},
              "give it once");
}

/// Refuses an option with two different values in one layer of the files.
void check_pairs(const CLI::App& command, const std::vector<Setting>& settings) {
  for (size_t i = 0; i < settings.size(); ++i)
    for (size_t k = 0; k < i; ++k) {
      const Setting &a = settings[k], &b = settings[i];
      if (a.layer != b.layer || a.file.empty() || a.option != b.option || a.value == b.value)
        continue;
      const CLI::Option* option = command.get_option_no_throw("--" + a.option);
      const bool is_same_subject = !subject_of(a.option, a.value).empty() &&
                                   subject_of(a.option, a.value) == subject_of(b.option, b.value);
      if (!is_repeatable(*option) || is_same_subject) refuse_pair(a, b);
    }
}

/// "--target is 'tract', not 'khronos' as in 'a.toml'"
std::string overridden_text(const Setting& setting, const Override& by) {
  const std::string as_in = cat(" as in ", setting.file);
  if (!by.opposite.empty()) return cat("--", by.opposite, " replaces --", setting.option, as_in);
  return cat("--", setting.option, " is ", quoted(by.value), ", not ", quoted(setting.value),
             as_in);
}

void add_tokens(const CLI::Option& option, const Setting& setting, AddedOptions& out) {
  const std::string name = "--" + setting.option;
  const std::string value = plain_value(option, setting.value);
  if (takes_no_value(option) && value == "false") return;
  out.tokens.push_back(takes_no_value(option) && setting.value == "true" ? name
                                                                         : cat(name, "=", value));
  out.used.push_back(setting);
}

/// Overridden settings of files are noted, unless another part of the file overrides them.
void add(const CLI::App& command, const std::vector<Setting>& settings, const Setting& setting,
         AddedOptions& out) {
  const CLI::Option& option = *command.get_option("--" + setting.option);
  const bool is_flag = takes_no_value(option);
  const std::string value = plain_value(option, setting.value);
  auto by = on_command_line(command, option, setting);
  if (by && !by->opposite.empty() && is_flag && value == "false") by.reset();
  if (!by) by = in_earlier_layer(option, setting, settings);
  if (!by) return add_tokens(option, setting, out);
  const bool is_same = by->opposite.empty() && by->value == value;
  const bool is_from_file =
      by->is_setting && setting.layer == Setting::Layer::top_level &&
      std::any_of(settings.begin(), settings.end(), [&](const Setting& each) {
        return each.layer == Setting::Layer::command_table && each.option == setting.option;
      });
  if (!is_same && !is_from_file && !setting.file.empty())
    out.overridden.push_back(overridden_text(setting, *by));
}

}  // namespace

bool takes_no_value(const CLI::Option& option) { return option.get_items_expected_max() == 0; }

AddedOptions options_of(const CLI::App& command, const std::vector<Setting>& settings) {
  check_pairs(command, settings);
  AddedOptions out;
  for (const Setting& setting : settings) add(command, settings, setting, out);
  return out;
}

}  // namespace t2n::cli
