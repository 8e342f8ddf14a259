// SPDX-License-Identifier: Apache-2.0
#include "cli/outputs.h"

#include <unistd.h>

#include <filesystem>
#include <system_error>

#include "cli/screen/console.h"
#include "src/diag/error.h"
#include "src/samples/input_spec.h"

namespace t2n::cli {

std::vector<nnef::Taken> taken_files(const std::vector<std::string>& input_specs,
                                     const std::vector<std::string>& configs,
                                     const std::string& engine) {
  std::vector<nnef::Taken> out;
  for (const std::string& file : sample_files(input_specs))
    out.push_back({cat("the sample ", quoted(file)), file});
  for (const std::string& file : configs)
    out.push_back({cat("the options in ", quoted(file)), file});
  const std::string library = engine.starts_with("lib:") ? engine.substr(4) : engine;
  std::error_code ignored;  // a folder is refused later
  if (library.find('/') != std::string::npos && !std::filesystem::is_directory(library, ignored))
    out.push_back({"the engine", library});
  return out;
}

void claim_stdout(const std::string& output) {
  if (output != "-") return;
  if (isatty(STDOUT_FILENO) == 1)
    throw Error("usage", "the output is binary, and standard output is a terminal", {},
                "redirect it to a file, or pipe it into a program");
  use_stdout_for(StdoutUse::output);
}

std::string output_name(const std::string& path) { return path == "-" ? "standard output" : path; }

}  // namespace t2n::cli
