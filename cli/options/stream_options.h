// SPDX-License-Identifier: Apache-2.0
// The option --stream, shared by commands that write or check files for pulses.
#pragma once

#include <string>

#include "cli/options/app.h"
#include "src/target/target.h"

namespace t2n::cli {

void add_stream_option(CLI::App& command, std::string& option);

/// "S", "S=8"; none for "".   Errors: `usage`.
target::Stream stream_of(const std::string& option);

}  // namespace t2n::cli
