// `--config FILE`: options of a command in a file, for what is too long to type.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): not ours
class App;
}

namespace t2n::cli {

/// `files` are those of the command line, where somebody wants to know.
void add_config_option(CLI::App& command, std::vector<std::string>* files = nullptr);

/// What the files of `--config` add to a command line.
struct FileOptions {
  std::vector<std::string> words;              ///< long options with their values
  std::map<std::string, std::string> origins;  ///< by "--option", the file that gives it
  std::vector<std::string> overridden;         ///< per setting that the command line says otherwise
};

/// Of a command that has been parsed: keys of the files are the long names of its options, values
/// strings, numbers, truth values, or lists of them; `dynamic` may also be a table of inputs, each
/// a table of axes. JSON by the suffix .json, else TOML. What the command line gives in any
/// spelling wins, per option; of options that repeat, all count, but one input or axis that both
/// give is the command line's.
/// Errors: `usage`, with the file, also where files contradict themselves or each other.
FileOptions read_config_files(const CLI::App& command);

}  // namespace t2n::cli
