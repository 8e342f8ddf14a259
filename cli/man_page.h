// SPDX-License-Identifier: Apache-2.0
// The man page, made from the help.
#pragma once

#include <string>

#include "cli/options/app.h"

namespace t2n::cli {

/// t2nnef(1) in man's macros, with all commands and options.
std::string man_page(const CLI::App& app);

}  // namespace t2n::cli
