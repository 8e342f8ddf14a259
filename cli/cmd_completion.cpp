// SPDX-License-Identifier: Apache-2.0
// t2nnef completion: scripts with which shells complete commands, options and their values.
#include <CLI/CLI.hpp>
#include <memory>
#include <sstream>

#include "cli/commands.h"
#include "cli/help.h"
#include "cli/screen/console.h"
#include "src/compress/settings/settings.h"
#include "src/diag/error.h"
#include "src/target/target.h"

namespace t2n::cli {
namespace {

constexpr const char* kCompletionExamples =
    "examples:\n"
    "  source <(t2nnef completion bash)\n"
    "  t2nnef completion zsh > ~/.zfunc/_t2nnef\n"
    "  t2nnef completion fish > ~/.config/fish/completions/t2nnef.fish\n";

/// Values that a shell can offer for an option, separated by spaces.
std::string values_of(const CLI::Option& option) {
  const auto is = [&](const char* name) { return option.check_lname(name); };
  if (is("target")) return "tract khronos";
  if (is("engine")) return "reference tract";
  if (is("compress")) return joined(compress::preset_names(), " ");
  if (is("preset")) return "causal-llm";
  if (is("nan")) return "report keep";
  if (is("color")) return "auto always never";
  if (is("localize")) return "never on-failure always";
  if (is("float")) return "f16 f16-io";
  return {};
}

bool takes_value(const CLI::Option& option) { return option.get_items_expected_min() > 0; }

std::vector<const CLI::Option*> named_options(const CLI::App& command) {
  std::vector<const CLI::Option*> out;
  for (const CLI::Option* option : command.get_options())
    if (!option->get_lnames().empty()) out.push_back(option);
  return out;
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> out;
  for (const CLI::App* command : app.get_subcommands(nullptr)) out.push_back(command->get_name());
  return out;
}

std::string bash_script(const CLI::App& app) {
  std::string cases, values;
  for (const CLI::App* command : app.get_subcommands(nullptr)) {
    std::vector<std::string> names;
    for (const CLI::Option* option : named_options(*command)) {
      names.push_back("--" + option->get_lnames()[0]);
      if (const std::string known = values_of(*option); !known.empty())
        values += cat("    ", command->get_name(), ":--", option->get_lnames()[0],
                      ") COMPREPLY=($(compgen -W '", known, "' -- \"$word\")); return;;\n");
    }
    cases += cat("    ", command->get_name(), ") options='", joined(names, " "), "';;\n");
  }
  return cat(
      "_t2nnef() {\n  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} "
      "options=\n",
      "  if [ \"$COMP_CWORD\" = 1 ]; then\n    COMPREPLY=($(compgen -W '",
      joined(command_names(app), " "), "' -- \"$word\"))\n    return\n  fi\n",
      "  case ${COMP_WORDS[1]}:$before in\n", values, "  esac\n", "  case ${COMP_WORDS[1]} in\n",
      cases, "  esac\n",
      "  case $word in\n    -*) COMPREPLY=($(compgen -W \"$options\" -- \"$word\"));;\n",
      "    *) COMPREPLY=($(compgen -f -- \"$word\"));;\n  esac\n}\n",
      "complete -o filenames -F _t2nnef t2nnef\n");
}

/// A description as an argument in single quotes.
std::string described(const CLI::Option& option, bool for_zsh) {
  std::string out;
  for (const char c : first_line(option.get_description())) {
    if (c == '\'') {
      out += "'\\''";
    } else if (for_zsh && (c == '[' || c == ']' || c == ':' || c == '\\')) {
      out += cat("\\", std::string(1, c));
    } else {
      out += c;
    }
  }
  return out;
}

std::string zsh_script(const CLI::App& app) {
  std::string commands, cases;
  for (const CLI::App* command : app.get_subcommands(nullptr)) {
    commands += cat("    '", command->get_name(), ":", command->get_description(), "'\n");
    std::string options;
    for (const CLI::Option* option : named_options(*command)) {
      const std::string known = values_of(*option);
      options += cat(" \\\n      '*--", option->get_lnames()[0], "[", described(*option, true), "]",
                     !takes_value(*option) ? ""
                     : known.empty()       ? ":value:_files"
                                           : cat(":value:(", known, ")"),
                     "'");
    }
    cases +=
        cat("    ", command->get_name(), ") _arguments", options, " \\\n      '*:file:_files';;\n");
  }
  return cat(
      "#compdef t2nnef\n_t2nnef() {\n  local -a commands=(\n", commands,
      "  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n    return\n  fi\n",
      "  local command=$words[2]\n  shift words\n  (( CURRENT-- ))\n  case $command in\n", cases,
      "  esac\n}\nif [ \"$funcstack[1]\" = _t2nnef ]; then _t2nnef \"$@\"; else compdef _t2nnef "
      "t2nnef; fi\n");
}

std::string fish_script(const CLI::App& app) {
  std::string out = "complete -c t2nnef -e\n";
  for (const CLI::App* command : app.get_subcommands(nullptr)) {
    out += cat("complete -c t2nnef -n __fish_use_subcommand -f -a ", command->get_name(), " -d '",
               command->get_description(), "'\n");
    for (const CLI::Option* option : named_options(*command)) {
      const std::string known = values_of(*option);
      out += cat("complete -c t2nnef -n '__fish_seen_subcommand_from ", command->get_name(),
                 "' -l ", option->get_lnames()[0]);
      if (!option->get_snames().empty()) out += cat(" -s ", option->get_snames()[0]);
      if (takes_value(*option)) out += " -r";
      if (!known.empty()) out += cat(" -f -a '", known, "'");
      out += cat(" -d '", described(*option, false), "'\n");
    }
  }
  return out;
}

ExitCode run_completion(const CLI::App& app, const std::string& shell) {
  if (shell == "bash") {
    print(bash_script(app));
  } else if (shell == "zsh") {
    print(zsh_script(app));
  } else if (shell == "fish") {
    print(fish_script(app));
  } else {
    throw Error("usage",
                shell.empty() ? "the shell is missing"
                              : cat("there is no completion for the shell ", quoted(shell)),
                {}, "shells are: bash, zsh, fish");
  }
  return ExitCode::ok;
}

}  // namespace

void setup_completion(CLI::App& app, Run& selected) {
  auto shell = std::make_shared<std::string>();
  CLI::App* command =
      app.add_subcommand("completion", "Print a script that completes commands in a shell");
  command->add_option("SHELL", *shell, "bash, zsh or fish")->type_name("");
  command->footer(kCompletionExamples);
  command->callback([shell, &app, &selected] {
    selected = [shell, &app](CommandReport& /*report*/) { return run_completion(app, *shell); };
  });
}

}  // namespace t2n::cli
