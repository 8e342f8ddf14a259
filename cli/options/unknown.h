// SPDX-License-Identifier: Apache-2.0
// Refuses unknown names on the command line, and suggests known ones.
#pragma once

#include <string>

#include "cli/options/app.h"

namespace t2n::cli {

/// Refuses an unknown option such as "--chek=true" of a command, with the nearest one. `where`: ",
/// set in …", or "".
[[noreturn]] void refuse_option(const std::string& token, const CLI::App& app,
                                const std::string& where);

/// Refuses an unknown command of the program, with the nearest one.
[[noreturn]] void refuse_command(const std::string& token, const CLI::App& app);

}  // namespace t2n::cli
