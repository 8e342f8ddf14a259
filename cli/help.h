// SPDX-License-Identifier: Apache-2.0
// The help of the program and its commands: options by group, one screen by default.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace t2n::cli {

/// Options with one subject, by their long names.
struct OptionGroup {
  const char* title;
  std::vector<std::string_view> common;  ///< also in the short help of a command with many options
  std::vector<std::string_view> advanced;  ///< in --help-all, and in the man page
};

/// In the order of the help. Every option of every command is in one group.
const std::vector<OptionGroup>& option_groups();

/// "-t, --target TARGET"
std::string option_text(const CLI::Option& option);
/// The first line of a description says what an option does; the others say more.
std::string first_line(const std::string& description);

std::string program_help(const CLI::App& app);
/// With `all`, advanced options too, and descriptions in full.
std::string command_help(const CLI::App& app, bool all);

/// CLI11's formatter for all commands.
class HelpFormatter : public CLI::FormatterBase {
 public:
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override;
};

}  // namespace t2n::cli
