// SPDX-License-Identifier: Apache-2.0
#include "cli/man_page.h"

#include <sstream>

#include "cli/diagnostics_page.h"
#include "cli/help.h"
#include "src/diag/error.h"

namespace t2n::cli {
namespace {

/// Text in which man sees no requests.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) {
      out += cat("\\&", std::string(1, c));
    } else {
      out += c;
    }
  }
  return out;
}

std::string entry(const std::string& left, const std::string& description) {
  std::string text = escaped(description);
  for (size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 5)
    text.replace(at, 1, "\n.br\n");
  return cat(".TP\n.B ", escaped(left), "\n", text, "\n");
}

std::string examples_of(const std::string& footer) {
  std::string out;
  std::istringstream lines(footer);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("  t2nnef ")) out += cat(escaped(line), "\n");
  return out.empty() ? out : cat(".PP\n.nf\n", out, ".fi\n");
}

std::string command_section(const CLI::App& command) {
  std::string out =
      cat(".SS ", command.get_name(), "\n", escaped(command.get_description()), ".\n");
  for (const CLI::Option* option : command.get_options())
    if (option->get_positional()) out += entry(option_text(*option), option->get_description());
  for (const OptionGroup& group : option_groups())
    for (const auto* names : {&group.common, &group.advanced})
      for (const std::string_view name : *names)
        if (const CLI::Option* option = command.get_option_no_throw(cat("--", name)))
          out += entry(option_text(*option), option->get_description());
  return out + examples_of(command.get_footer());
}

std::string exit_status() {
  std::string out;
  for (const auto& [code, meaning] : exit_codes()) out += entry(code, meaning);
  return out;
}

}  // namespace

std::string man_page(const CLI::App& app) {
  std::string out = cat(".TH T2NNEF 1 \"\" \"t2nnef ", T2NNEF_VERSION, "\" \"User Commands\"\n",
                        ".SH NAME\nt2nnef \\- ", escaped(app.get_description()), "\n",
                        ".SH SYNOPSIS\n.B t2nnef\n.I COMMAND\n[\\fIOPTIONS\\fR]\n.SH COMMANDS\n");
  for (const CLI::App* command : app.get_subcommands(nullptr)) out += command_section(*command);
  return cat(out, ".SH EXIT STATUS\n", exit_status());
}

}  // namespace t2n::cli
