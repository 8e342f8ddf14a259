// What a command reads, so that none of its outputs replaces it, and outputs that are stdout.
#pragma once

#include <string>
#include <vector>

#include "nnef_writer/destination.h"

namespace t2n::cli {

/// The files that `--input`, `--config` and `--engine` name.
std::vector<nnef::Taken> taken_files(const std::vector<std::string>& input_specs,
                                     const std::vector<std::string>& configs,
                                     const std::string& engine);

/// If one of the outputs is "-", results go to stderr from now on.
/// Errors: `usage` for two of them, and for bytes that a terminal would get.
void claim_stdout(const std::string& bytes_output, const std::string& text_output = {});

/// "standard output", or the path.
std::string output_name(const std::string& path);

}  // namespace t2n::cli
