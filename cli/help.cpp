// SPDX-License-Identifier: Apache-2.0
#include "cli/help.h"

#include <algorithm>

#include "cli/screen/text.h"
#include "src/diag/error.h"
#include "src/diag/printable.h"

namespace t2n::cli {
namespace {

constexpr size_t kWidth = 80;
constexpr size_t kColumn = 28;      // of the descriptions
constexpr size_t kMostAtOnce = 20;  // options in a help that leaves none out

/// "  -t, --target TARGET      Target engine: …", with further lines in the second column.
std::string row(const std::string& left, const std::string& description) {
  std::string out = "  " + left;
  const size_t width = text_width(out);
  if (width + 2 > kColumn) {
    out += '\n';
    out.append(kColumn, ' ');
  } else {
    out.append(kColumn - width, ' ');
  }
  bool is_first = true;
  for (const std::string& line : wrapped(description, kWidth - kColumn)) {
    if (!is_first) out += cat('\n', std::string(kColumn, ' '));
    out += line;
    is_first = false;
  }
  return out + "\n";
}

/// An argument with a default is optional.
std::string usage_of(const CLI::App& app) {
  std::string out = cat("Usage: t2nnef ", app.get_name());
  for (const CLI::Option* option : app.get_options())
    if (option->get_positional())
      out += option->get_default_str().empty() ? cat(" ", option->get_name())
                                               : cat(" [", option->get_name(), "]");
  return cat(out, " [OPTIONS]\n");
}

std::string group_help(const CLI::App& app, const OptionGroup& group, bool all) {
  std::string out;
  const auto add = [&](const std::vector<std::string_view>& names) {
    for (const std::string_view name : names)
      if (const CLI::Option* option = app.get_option_no_throw(cat("--", name)))
        out += row(option_text(*option),
                   all ? option->get_description() : first_line(option->get_description()));
  };
  add(group.common);
  if (all) add(group.advanced);
  return out.empty() ? out : cat("\n", group.title, ":\n", out);
}

/// Options that only --help-all shows.
size_t advanced_options(const CLI::App& app) {
  size_t out = 0;
  for (const OptionGroup& group : option_groups())
    for (const std::string_view name : group.advanced)
      out += app.get_option_no_throw(cat("--", name)) != nullptr;
  return out;
}

}  // namespace

const std::vector<OptionGroup>& option_groups() {
  static const std::vector<OptionGroup> groups = {
      {"Output", {"target", "output"}, {"compression", "metadata", "dry-run", "processor"}},
      {"Inputs and axes",
       {"input", "dynamic", "assert", "stream", "state", "preset", "fragment"},
       {"module-op", "plugin", "seed", "method", "specialize", "accept-guard", "max-iterations",
        "nan", "roll-loops", "input-name", "output-name", "prune-unused-inputs",
        "allow-float-casts", "steps", "feed", "size", "select", "all-names"}},
      {"Compression",
       {"compress", "calibrate", "max-loss"},
       {"ignore", "only", "labels", "budget", "float", "keep-f32"}},
      {"Reduction", {"keep", "against", "within"}, {}},
      {"Check",
       {"check", "tolerance", "engine"},
       {"seeds", "strict", "localize", "verify", "bisect"}},
      {"Measurement", {"runs", "loads", "top"}, {"warmup"}},
      {"Passes",
       {"passes", "list"},
       {"print-after", "print-changed", "disable-pass", "time-passes"}},
      {"What to print",
       {"colors", "graph", "lint", "missing", "markdown", "names", "json", "man", "report", "quiet",
        "verbose"},
       {"format", "debug-bundle"}},
      {"General", {"config", "help", "help-all"}, {"color", "timeout", "max-memory"}},
  };
  return groups;
}

std::string option_text(const CLI::Option& option) {
  std::string out;
  for (const std::string& name : option.get_snames()) out += cat("-", name, ", ");
  for (const std::string& name : option.get_lnames()) out += cat("--", name);
  if (option.get_positional()) return option.get_name();
  const std::string value = option.get_items_expected_max() == 0 ? "" : option.get_type_name();
  return value.empty() ? out : cat(out, " ", value);
}

std::string first_line(const std::string& description) {
  return description.substr(0, description.find('\n'));
}

std::string program_help(const CLI::App& app) {
  std::string out =
      cat(app.get_description(), "\n\nUsage: ", app.get_name(), " COMMAND …\n\nCommands:\n");
  for (const CLI::App* command : app.get_subcommands(nullptr))
    out += row(command->get_name(), command->get_description());
  out += "\nOptions:\n";
  for (const CLI::Option* option : app.get_options())
    out += row(option_text(*option), option->get_description());
  return cat(out, "\n", app.get_footer());
}

std::string command_help(const CLI::App& app, bool all) {
  const size_t advanced = advanced_options(app);
  const bool is_complete = all || app.get_options().size() <= kMostAtOnce;
  std::string out = cat(app.get_description(), "\n\n", usage_of(app));
  std::string positionals;
  for (const CLI::Option* option : app.get_options())
    if (option->get_positional())
      positionals += row(option_text(*option), option->get_description());
  if (!positionals.empty()) out += cat("\n", positionals);
  for (const OptionGroup& group : option_groups()) out += group_help(app, group, is_complete);
  if (!is_complete && advanced > 0)
    out += cat("\n`t2nnef ", app.get_name(), " --help-all` describes ", advanced,
               " more options, and these in full.\n");
  return app.get_footer().empty() ? out : cat(out, "\n", app.get_footer());
}

std::string HelpFormatter::make_help(const CLI::App* app, std::string,
                                     CLI::AppFormatMode mode) const {
  if (app->get_parent() == nullptr) return program_help(*app);
  return command_help(*app, mode == CLI::AppFormatMode::All);
}

}  // namespace t2n::cli
