// SPDX-License-Identifier: Apache-2.0
// The options of the program itself, and errors for unknown arguments.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <memory>
#include <span>

#include "cli/commands.h"
#include "cli/help.h"
#include "cli/options/config_file.h"
#include "cli/options/limit_options.h"
#include "cli/options/settings.h"
#include "cli/options/unknown.h"
#include "cli/options/variables.h"
#include "cli/reports.h"
#include "cli/screen/console.h"
#include "cli/screen/terminal.h"
#include "cli/screen/text.h"
#include "src/check/compare.h"
#include "src/confine/confine.h"
#include "src/diag/error.h"
#include "src/target/target.h"

namespace t2n::cli {
namespace {

std::string examples() {
  return cat(kExportExamples, "`t2nnef COMMAND --help` lists the options of a command\n");
}

std::string version_text() {
  const std::string torch = T2NNEF_LIBTORCH_VERSION;
  return cat("t2nnef ", T2NNEF_VERSION, "\n",
             torch.empty() ? "built without LibTorch" : "built with LibTorch " + torch, "\n",
             "default target ", target::target_name(target::parse_target("tract")), "\n");
}

/// CLI11 collects unknown tokens. Misspelt options are reported first; the rest may be their
/// values.
void refuse_leftovers(const CLI::App& app) {
  const std::vector<std::string> tokens = app.remaining();
  const bool is_program = app.get_parent() == nullptr;
  if (is_program && !tokens.empty() && !tokens[0].starts_with('-')) refuse_command(tokens[0], app);
  for (const std::string& token : tokens)
    if (token.size() > 1 && token[0] == '-') refuse_option(token, app, "");
  if (tokens.empty()) return;
  if (is_program) refuse_command(tokens[0], app);
  throw Error("usage", cat(quoted(tokens[0]), " is an unexpected argument"), {},
              cat("`t2nnef ", app.get_name(), " --help` shows what it takes"));
}

bool is_flag_option(const CLI::App& app, const std::string& option) {
  const auto commands = app.get_subcommands(nullptr);
  return std::any_of(commands.begin(), commands.end(), [&](const CLI::App* command) {
    const CLI::Option* const found = command->get_option_no_throw(option);
    return found != nullptr && found->get_items_expected_max() == 0;
  });
}

/// Rewords "--output: 1 required PATH missing", "Could not convert: --timeout = abc" and
/// "--output: At Most 1 required but received 2".
std::string reworded(std::string message, const CLI::App& app) {
  constexpr std::string_view kMissing = ": 1 required ", kMissingEnd = " missing";
  constexpr std::string_view kUnread = "Could not convert: ", kValue = " = ";
  constexpr std::string_view kMost = ": At Most 1 required but received ";
  if (const size_t most = message.find(kMost); most != std::string::npos)
    return cat(message.substr(0, most), " is given ", message.substr(most + kMost.size()),
               " times");
  const size_t missing = message.find(kMissing);
  if (missing != std::string::npos && message.ends_with(kMissingEnd)) {
    const size_t type = missing + kMissing.size();
    return cat(message.substr(0, missing), " needs a value: ",
               message.substr(type, message.size() - kMissingEnd.size() - type));
  }
  const size_t value = message.find(kValue);
  if (message.starts_with(kUnread) && value != std::string::npos) {
    const std::string option = message.substr(kUnread.size(), value - kUnread.size());
    return cat(
        option, " ", quoted(message.substr(value + kValue.size())),
        is_flag_option(app, option) ? " is neither true nor false" : " is not a valid number");
  }
  if (!message.empty())
    message[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(message[0])));
  return message;
}

[[noreturn]] void refuse_parse(const CLI::ParseError& error, const CLI::App& app) {
  std::string message = error.what();
  message.resize(message.find_last_not_of(" \n") + 1);
  const auto commands = app.get_subcommands();
  const std::string help =
      message.find(" excludes ") != std::string::npos
          ? "use one of them"
          : cat("`t2nnef ", commands.empty() ? "COMMAND" : commands.front()->get_name(),
                " --help` shows what each option takes");
  throw Error("usage", reworded(std::move(message), app), {}, help);
}

/// `-o ''`: usually an unset variable of a script.
void refuse_empty(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options())
    for (const std::string& value : option->results())
      if (value.empty() && option->get_items_expected_max() > 0)
        throw Error("usage", cat(option->get_name(), " has an empty value"), {},
                    "remove the option or give it a value (is a shell variable empty?)");
}

/// Commands that read no file: limits of time and memory mean nothing to them.
bool is_instant(const CLI::App& command) {
  const std::string name = command.get_name();
  return name == "explain" || name == "env" || name == "help" || name == "completion";
}

bool has_report(const CLI::App& command) {
  return !is_instant(command) || command.get_name() == "env";
}

/// Options of all commands that work on files.
struct CommonOptions {
  LimitOptions limits;
  ReportOptions reports;
};

std::unique_ptr<CLI::App> make_app(Run& run, CommonOptions& common) {
  auto app = std::make_unique<CLI::App>(
      "Export TorchScript and .pt2 models to NNEF: for tract, or strict (khronos)", "t2nnef");
  app->formatter(std::make_shared<HelpFormatter>());
  app->footer(examples());
  app->set_help_flag("-h,--help", "Print this help");
  app->add_flag("-V,--version")
      ->description("Print the versions of t2nnef, LibTorch and the default target");
  app->add_flag("-v,--verbose")->description("With --version: also print how models are sandboxed");
  app->require_subcommand(0, 1);
  setup_export(*app, run);
  setup_check(*app, run);
  setup_inspect(*app, run);
  setup_run(*app, run);
  setup_bench(*app, run);
  setup_diff(*app, run);
  setup_ops(*app, run);
  setup_opt(*app, run);
  setup_reduce(*app, run);
  setup_lint(*app, run);
  setup_tensors(*app, run);
  setup_graph(*app, run);
  setup_explain(*app, run);
  setup_env(*app, run);
  setup_help(*app, run);
  setup_completion(*app, run);
  app->allow_extras();
  for (CLI::App* command : app->get_subcommands(nullptr)) {
    command->allow_extras();
    command->set_help_all_flag("--help-all", "Print this help with all options");
    if (!is_instant(*command)) add_limit_options(*command, common.limits);
    if (has_report(*command)) add_report_options(*command, common.reports);
    command
        ->add_option_function<std::string>("--color", set_color,
                                           "Colours: auto, always or never [auto]\n"
                                           "auto: on terminals, unless NO_COLOR is set.")
        ->type_name("WHEN");
  }
  return app;
}

using Tokens = std::vector<std::string>;

/// After `--`, a token that looks like an option is a file name.
Tokens without_separator(Tokens tokens) {
  const auto separator = std::find(tokens.begin(), tokens.end(), "--");
  if (separator == tokens.end()) return tokens;
  for (std::string& token : std::span(separator + 1, tokens.end()))
    if (token.size() > 1 && token[0] == '-') token = "./" + token;
  tokens.erase(separator);
  return tokens;
}

/// `--check close` for `--check=close`: an optional value that is the name of a level and of no
/// file.
Tokens with_joined_levels(Tokens tokens) {
  const std::vector<std::string> levels = check::level_names();
  Tokens out;
  for (std::string& token : tokens) {
    const bool is_level =
        !out.empty() && std::find(levels.begin(), levels.end(), token) != levels.end() &&
        (out.back() == "--check" || out.back() == "--verify" || out.back() == "--bisect");
    if (is_level && !std::filesystem::exists(token))
      out.back() += "=" + token;
    else
      out.push_back(std::move(token));
  }
  return out;
}

/// False if help was requested; it has been printed.
bool parse(CLI::App& app, Tokens tokens) {
  std::reverse(tokens.begin(), tokens.end());  // CLI11 expects the tokens in reverse order
  try {
    app.parse(std::move(tokens));
  } catch (const CLI::CallForHelp&) {
    print(app.help());
    return false;
  } catch (const CLI::CallForAllHelp&) {
    print(app.help("", CLI::AppFormatMode::All));
    return false;
  } catch (const CLI::ParseError& error) {
    refuse_parse(error, app);
  }
  return true;
}

bool is_quiet(const CLI::App& command, const std::vector<std::string>& added) {
  const CLI::Option* quiet = command.get_option_no_throw("--quiet");
  return (quiet != nullptr && quiet->count() > 0) ||
         std::find(added.begin(), added.end(), "--quiet") != added.end();
}

/// Options of files that the command line or a variable overrides.
Diagnostic overridden_note(const std::vector<std::string>& overridden) {
  const bool is_one = overridden.size() == 1;
  return {.severity = Severity::note,
          .id = "option-overridden",
          .message = is_one ? overridden[0] : "options of a file are overridden",
          .details = is_one ? std::vector<std::string>() : overridden,
          .why = "the command line takes precedence, then variables"};
}

Diagnostic variables_warning(const std::vector<std::string>& lines) {
  return {.severity = Severity::warning,
          .id = "unknown-variable",
          .message = "a variable of the environment has no effect",
          .details = lines,
          .help = "unset it, or correct its name"};
}

/// The options that variables and files add, and what is to be said of them.
struct Additions {
  std::vector<Setting> used;
  std::vector<Diagnostic> diagnostics;
};

/// Variables and files, below the options of the command line.
AddedOptions added_options(const CLI::App& command, std::vector<Diagnostic>& diagnostics) {
  std::vector<Setting> settings = variable_settings(command);
  std::vector<std::string> files;
  if (const CLI::Option* config = command.get_option_no_throw("--config"))
    files = config->results();
  for (const Setting& setting : settings)
    if (files.empty() && setting.option == "config") files.push_back(setting.value);
  for (Setting& setting : read_config_files(command, files)) settings.push_back(std::move(setting));
  AddedOptions out = options_of(command, without_those_of_check(command, std::move(settings)));
  if (!out.overridden.empty()) diagnostics.push_back(overridden_note(out.overridden));
  if (const auto lines = misspelt_variables(*command.get_parent()); !lines.empty())
    diagnostics.push_back(variables_warning(lines));
  if (is_quiet(command, out.tokens)) return out;
  for (const Diagnostic& each : diagnostics) print_message(render_text(each));
  return out;
}

/// The tokens, with added options before those of the command line.
Tokens with_added_options(Tokens tokens, const CLI::App& app, Additions& additions) {
  for (const CLI::App* command : app.get_subcommands()) {
    AddedOptions added = added_options(*command, additions.diagnostics);
    const auto position = std::find(tokens.begin(), tokens.end(), command->get_name());
    tokens.insert(position == tokens.end() ? position : position + 1, added.tokens.begin(),
                  added.tokens.end());
    additions.used.insert(additions.used.end(), added.used.begin(), added.used.end());
  }
  return tokens;
}

/// Whether a text has "--input", and not only "--input-name".
bool names_option(const std::string& text, const std::string& option) {
  const std::string word = "--" + option;
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const size_t end = at + word.size();
    if (end == text.size() ||
        (text[end] != '-' && std::isalnum(static_cast<unsigned char>(text[end])) == 0))
      return true;
  }
  return false;
}

/// An error about an option that a variable or a file sets says so.
Error with_origins(const Error& error, const std::vector<Setting>& used) {
  Diagnostic out = error.diagnostic();
  if (error.code() != ExitCode::usage) return error;
  const std::string text = error.what();
  for (const Setting& setting : used)
    if (text.find(quoted(setting.value)) != std::string::npos || names_option(text, setting.option))
      out.details.push_back(
          cat(setting.origin, " sets --", setting.option, " to ", quoted(setting.value)));
  return Error(std::move(out), error.others());
}

std::string& quoted_command() {
  static std::string text;
  return text;
}

ExitCode run_tokens(const Tokens& tokens, const CLI::App& first, Additions& additions) {
  Run run;
  CommonOptions common;
  const auto app = make_app(run, common);
  if (!parse(*app, with_added_options(tokens, first, additions))) return ExitCode::ok;
  refuse_leftovers(*app);
  for (const CLI::App* command : app->get_subcommands()) refuse_leftovers(*command);
  if (app->count("--version") > 0) {
    print(version_text());
    if (app->count("--verbose") > 0)
      print(cat("models sandboxed by ", confine::describe_support(), "\n"));
    return ExitCode::ok;
  }
  for (const CLI::App* command : app->get_subcommands()) refuse_empty(*command);
  if (run) {
    const Run limited = [&](CommandReport& report) {
      start_limits(common.limits);  // here, because the report of an early end can be written now
      return run(report);
    };
    return run_with_reports(*app->get_subcommands().front(), common.reports, limited,
                            additions.diagnostics);
  }
  print_message(program_help(*app));
  return ExitCode::usage;
}

}  // namespace

std::string command_text() { return quoted_command(); }

ExitCode run_command_line(int argc, char** argv) {
  quoted_command() = "t2nnef";
  for (const std::string& token : Tokens(argv + 1, argv + argc))
    quoted_command() += cat(" ", shell_quoted(token));
  // The first parse finds the options on the command line; the second includes variables and files.
  Run ignored;
  CommonOptions ignored_options;
  const auto first = make_app(ignored, ignored_options);
  const Tokens tokens = with_joined_levels(without_separator({argv + 1, argv + argc}));
  if (!parse(*first, tokens)) return ExitCode::ok;
  Additions additions;
  try {
    return run_tokens(tokens, *first, additions);
  } catch (const Error& error) {
    throw with_origins(error, additions.used);
  }
}

}  // namespace t2n::cli
