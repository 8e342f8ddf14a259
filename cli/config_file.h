// `--config FILE`: options of a command in a file, for what is too long to type.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): not ours
class App;
}

namespace t2n::cli {

void add_config_option(CLI::App& command);

/// The arguments of the program, each `--config FILE` replaced by what the file says: keys are the
/// long names of options, values strings, numbers, true, or lists of them; `dynamic` may also be a
/// table of inputs, each a table of axes. Options on the command line win over the file's, those
/// that repeat add up. JSON by the suffix .json, else TOML. Errors: `usage`, with the file.
/// `origins` learns which file each of its options comes from, by the option's name.
std::vector<std::string> with_config_files(std::vector<std::string> arguments,
                                           std::map<std::string, std::string>& origins);

}  // namespace t2n::cli
