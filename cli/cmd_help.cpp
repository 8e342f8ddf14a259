// SPDX-License-Identifier: Apache-2.0
// t2nnef help: the help of a command, or the man page of all.
#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands.h"
#include "cli/help.h"
#include "cli/man_page.h"
#include "cli/options/unknown.h"
#include "cli/screen/console.h"
#include "src/diag/error.h"

namespace t2n::cli {
namespace {

struct HelpCommand {
  std::string command;
  bool man = false;
};

ExitCode run_help(const CLI::App& app, const HelpCommand& options) {
  if (options.man) {
    print(man_page(app));
    return ExitCode::ok;
  }
  if (options.command.empty()) {
    print(program_help(app));
    return ExitCode::ok;
  }
  for (const CLI::App* command : app.get_subcommands(nullptr))
    if (command->get_name() == options.command) {
      print(command_help(*command, true));
      return ExitCode::ok;
    }
  refuse_command(options.command, app);
}

}  // namespace

void setup_help(CLI::App& app, Run& selected) {
  auto options = std::make_shared<HelpCommand>();
  CLI::App* command = app.add_subcommand("help", "Describe a command with all its options");
  command->add_option("COMMAND", options->command, "A command; without it, list all")
      ->default_str("all commands")
      ->type_name("");
  command->add_flag("--man", options->man, "Print the man page, t2nnef.1");
  command->callback([options, &app, &selected] {
    selected = [options, &app](CommandReport& /*report*/) { return run_help(app, *options); };
  });
}

}  // namespace t2n::cli
