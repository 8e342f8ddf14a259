// SPDX-License-Identifier: Apache-2.0
#include "cli/options/unknown.h"

#include <CLI/CLI.hpp>
#include <vector>

#include "cli/screen/text.h"
#include "src/diag/error.h"

namespace t2n::cli {
namespace {

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

[[noreturn]] void refuse(const std::string& what, const std::string& suggestion,
                         const std::string& default_help) {
  throw Error("usage", what, {},
              suggestion.empty() ? default_help : cat("did you mean ", quoted(suggestion), "?"));
}

}  // namespace

void refuse_command(const std::string& token, const CLI::App& app) {
  if (token.ends_with(".pt"))
    refuse(cat("the command is missing before ", quoted(token)), {},
           cat("to export it: t2nnef export ", shell_quoted(token), " --target tract"));
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands(nullptr)) names.push_back(command->get_name());
  refuse(cat("there is no command ", quoted(token)), nearest(token, names),
         cat("commands are: ", joined(names, ", ")));
}

void refuse_option(const std::string& token, const CLI::App& app, const std::string& where) {
  const std::string name = token.substr(0, token.find('='));
  const std::string command = app.get_parent() == nullptr ? "" : " " + app.get_name();
  refuse(cat("t2nnef", command, " has no option ", quoted(name), where),
         nearest(name, option_names(app)), cat("`t2nnef", command, " --help` lists them"));
}

}  // namespace t2n::cli
