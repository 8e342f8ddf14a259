// SPDX-License-Identifier: Apache-2.0
// The files that a command reads, which no output may replace, and outputs on stdout.
#pragma once

#include <string>
#include <vector>

#include "nnef_writer/destination.h"

namespace t2n::cli {

/// The files in `--input`, `--config` and `--engine`.
std::vector<nnef::Taken> taken_files(const std::vector<std::string>& input_specs,
                                     const std::vector<std::string>& configs,
                                     const std::string& engine);

/// If the output, which is binary, is "-", results go to stderr from now on. Errors: `usage` on a
/// terminal.
void claim_stdout(const std::string& output);

/// "standard output", or the path.
std::string output_name(const std::string& path);

}  // namespace t2n::cli
