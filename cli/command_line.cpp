// The program's own options, and errors about words without a meaning.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <map>
#include <memory>
#include <span>

#include "cli/commands.h"
#include "cli/config_file.h"
#include "cli/console.h"
#include "cli/limit_options.h"
#include "cli/text.h"
#include "src/confine/confine.h"
#include "src/diag/error.h"
#include "src/target/target.h"

namespace t2n::cli {
namespace {

constexpr const char* kUsage =
    "usage: t2nnef COMMAND …\n"
    "  export MODEL.pt --target tract   write a TorchScript model as NNEF; --check compares it\n"
    "  export MODEL.pt --target khronos the same without extensions: strict NNEF 1.0.5\n"
    "  check MODEL.pt ARTEFACT          compare an NNEF artefact of any exporter with its model\n"
    "  inspect FILE                     what a model or an NNEF artefact takes and consists of\n"
    "  run ARTEFACT -i in.npz           run an NNEF artefact; -o out.npz keeps its outputs\n"
    "  diff A B                         what differs between two NNEF artefacts\n"
    "  ops [MODEL.pt]                   which operators are supported\n"
    "  opt FILE --passes A,B            run passes one by one; --verify compares each\n"
    "  lint FILE                        what is odd about the quantisation of a model or "
    "artefact\n";

std::string examples() {
  return cat(kExportExamples, "`t2nnef COMMAND --help` lists the options of a command\n");
}

std::string version_text() {
  const std::string torch = T2NNEF_LIBTORCH_VERSION;
  return cat("t2nnef ", T2NNEF_VERSION, "\n",
             torch.empty() ? "built without LibTorch" : "built with LibTorch " + torch, "\n",
             "default target ", target::target_name(target::parse_target("tract")), "\n");
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

[[noreturn]] void refuse(const std::string& what, const std::string& near,
                         const std::string& else_help) {
  throw Error("usage", what, {},
              near.empty() ? else_help : cat("did you mean ", quoted(near), "?"));
}

/// The option file of each option.
using Origins = std::map<std::string, std::string>;

[[noreturn]] void refuse_option(const std::string& word, const CLI::App& app,
                                const Origins& origins) {
  const std::string name = word.substr(0, word.find('='));
  const auto file = origins.find(name);
  const std::string command = app.get_parent() == nullptr ? "" : " " + app.get_name();
  refuse(cat("t2nnef", command, " has no option ", quoted(name),
             file == origins.end() ? "" : cat(", which ", quoted(file->second), " gives")),
         nearest(name, option_names(app)), cat("`t2nnef", command, " --help` lists them"));
}

[[noreturn]] void refuse_command(const std::string& word, const CLI::App& app) {
  if (word.ends_with(".pt"))
    refuse(cat("the command is missing before ", quoted(word)), {},
           cat("to export it: t2nnef export ", shell_quoted(word), " --target tract"));
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands(nullptr)) names.push_back(command->get_name());
  refuse(cat("there is no command ", quoted(word)), nearest(word, names),
         cat("commands are: ", joined(names, ", ")));
}

/// CLI11 collects unknown words; misspelt options come first, the rest may be their values.
void refuse_leftovers(const CLI::App& app, const Origins& origins) {
  const std::vector<std::string> words = app.remaining();
  for (const std::string& word : words)
    if (word.size() > 1 && word[0] == '-') refuse_option(word, app, origins);
  if (words.empty()) return;
  if (app.get_parent() == nullptr) refuse_command(words[0], app);
  refuse(cat(quoted(words[0]), " is one argument too many"), {},
         cat("`t2nnef ", app.get_name(), " --help` shows what it takes"));
}

/// Rewords "--output: 1 required TEXT missing".
[[noreturn]] void refuse_parse(const CLI::ParseError& error) {
  std::string message = error.what();
  message.resize(message.find_last_not_of(" \n") + 1);
  if (!message.empty())
    message[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(message[0])));
  throw Error("usage", message, {}, "`t2nnef COMMAND --help` shows what each option takes");
}

/// `-o ''`: usually an unset variable of a script.
void refuse_empty(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options())
    for (const std::string& value : option->results())
      if (value.empty() && option->get_items_expected_max() > 0)
        throw Error("usage", cat(option->get_name(), " is given an empty value"), {},
                    "is a variable empty? leave the option out, or give it a value");
}

std::unique_ptr<CLI::App> make_app(Run& run, LimitOptions& limits) {
  auto app = std::make_unique<CLI::App>(
      "TorchScript models as NNEF for the tract engine, or as strict NNEF (khronos)", "t2nnef");
  app->get_formatter()->column_width(34);
  app->footer(examples());
  app->set_help_flag("-h,--help", "This text");
  app->add_flag("--version")->description("Versions of t2nnef, LibTorch and the default target");
  app->add_flag("-v,--verbose")->description("With --version: also what models are confined by");
  app->require_subcommand(0, 1);
  setup_export(*app, run);
  setup_check(*app, run);
  setup_inspect(*app, run);
  setup_run(*app, run);
  setup_diff(*app, run);
  setup_ops(*app, run);
  setup_opt(*app, run);
  setup_lint(*app, run);
  app->allow_extras();
  for (CLI::App* command : app->get_subcommands(nullptr)) {
    command->allow_extras();
    add_limit_options(*command, limits);
  }
  return app;
}

using Words = std::vector<std::string>;

/// Behind `--` nothing is an option: what looks like one is a file name.
Words without_separator(Words words) {
  const auto separator = std::find(words.begin(), words.end(), "--");
  if (separator == words.end()) return words;
  for (std::string& word : std::span(separator + 1, words.end()))
    if (word.size() > 1 && word[0] == '-') word = "./" + word;
  words.erase(separator);
  return words;
}

/// False if help was requested; it has been printed.
bool parse(CLI::App& app, Words words) {
  std::reverse(words.begin(), words.end());  // CLI11 expects the words in reverse order
  try {
    app.parse(std::move(words));
  } catch (const CLI::CallForHelp&) {
    print(app.help());
    return false;
  } catch (const CLI::ParseError& error) {
    refuse_parse(error);
  }
  return true;
}

/// Notes options of files that the command line overrides, unless only errors are wanted.
void say_overridden(const CLI::App& command, const FileOptions& file) {
  const CLI::Option* quiet = command.get_option_no_throw("--quiet");
  const bool is_quiet =
      (quiet != nullptr && quiet->count() > 0) ||
      std::find(file.words.begin(), file.words.end(), "--quiet") != file.words.end();
  if (is_quiet || file.overridden.empty()) return;
  const bool is_one = file.overridden.size() == 1;
  say(render_text(Diagnostic{.severity = Severity::note,
                             .id = "option-overridden",
                             .message = is_one
                                            ? file.overridden[0]
                                            : "options of a file are given on the command line too",
                             .where = {},
                             .details = is_one ? std::vector<std::string>() : file.overridden,
                             .why = "the command line wins",
                             .help = {}}));
}

/// The words, with options of files in front of the command's own options.
Words with_file_options(Words words, const CLI::App& app, Origins& origins) {
  for (const CLI::App* command : app.get_subcommands()) {
    FileOptions file = read_config_files(*command);
    say_overridden(*command, file);
    origins.insert(file.origins.begin(), file.origins.end());
    const auto place = std::find(words.begin(), words.end(), command->get_name());
    words.insert(place == words.end() ? place : place + 1, file.words.begin(), file.words.end());
  }
  return words;
}

}  // namespace

ExitCode run_command_line(int argc, char** argv) {
  Origins origins;
  // Parsed once for what the command line itself gives, in any spelling, and once with the files.
  Run ignored;
  LimitOptions ignored_limits;
  const auto first = make_app(ignored, ignored_limits);
  Run run;
  LimitOptions limits;
  const auto app = make_app(run, limits);
  const Words words = without_separator({argv + 1, argv + argc});
  if (!parse(*first, words)) return ExitCode::ok;
  if (!parse(*app, with_file_options(words, *first, origins))) return ExitCode::ok;
  refuse_leftovers(*app, origins);
  for (const CLI::App* command : app->get_subcommands()) refuse_leftovers(*command, origins);
  if (app->count("--version") > 0) {
    print(version_text());
    if (app->count("--verbose") > 0)
      print(cat("models confined by ", confine::describe_support(), "\n"));
    return ExitCode::ok;
  }
  for (const CLI::App* command : app->get_subcommands()) refuse_empty(*command);
  if (run) {
    start_limits(limits);
    return run();
  }
  say(cat(kUsage, examples()));
  return ExitCode::usage;
}

}  // namespace t2n::cli
