// SPDX-License-Identifier: Apache-2.0
// Options from variables and files, below those of the command line.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace t2n::cli {

/// One value of one option.
struct Setting {
  /// What overrides what: earlier layers win.
  enum class Layer { variable, command_table, top_level };
  Layer layer = Layer::variable;
  std::string option;     ///< "target"
  std::string value;      ///< "tract"
  std::string origin;     ///< "T2NNEF_TARGET", "'a.toml:3'"
  std::string file = {};  ///< of a file: its name, quoted
};

bool takes_no_value(const CLI::Option& option);

/// What settings add to a command line.
struct AddedOptions {
  std::vector<std::string> tokens;      ///< long options with their values
  std::vector<Setting> used;            ///< what the tokens are from
  std::vector<std::string> overridden;  ///< for each setting of a file that something overrides
};

/// An option on the command line, in any spelling, overrides settings. Repeatable options are
/// combined, but for the same input or axis the first layer's value is used. Errors: `usage` for
/// contradictions in one layer.
AddedOptions options_of(const CLI::App& command, const std::vector<Setting>& settings);

}  // namespace t2n::cli
