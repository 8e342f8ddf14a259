// `--config FILE`: options of a command, read from a file.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/app.h"

namespace t2n::cli {

/// `files`: receives the files on the command line, if given.
void add_config_option(CLI::App& command, std::vector<std::string>* files = nullptr);

/// What the files of `--config` add to a command line.
struct FileOptions {
  std::vector<std::string> tokens;             ///< long options with their values
  std::map<std::string, std::string> origins;  ///< the file of each "--option"
  std::vector<std::string> overridden;         ///< for each setting that the command line overrides
};

/// Reads the files of a parsed command. Keys are the long names of its options; values are strings,
/// numbers, booleans, or lists of them; `dynamic` may also be a table of inputs, each a table of
/// axes. The format is JSON for the suffix .json, else TOML. An option on the command line, in any
/// spelling, overrides the files. Repeatable options are combined, but for the same input or
/// axis the command line's value is used. Errors: `usage` with the file, also for contradictions in
/// a file or between files.
FileOptions read_config_files(const CLI::App& command);

}  // namespace t2n::cli
