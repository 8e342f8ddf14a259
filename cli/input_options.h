// The options that say how a model is called, shared by every command that traces one.
#pragma once

#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): not ours
class App;
}

namespace t2n::cli {

struct InputOptions {
  std::vector<std::string> specs;  ///< of --input
  std::string method = "forward";
};

void add_input_options(CLI::App& command, InputOptions& options);

/// The path given, or Error `usage` with the line to type.
const std::string& require_model(const std::string& model, const char* command);

}  // namespace t2n::cli
