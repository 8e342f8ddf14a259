// SPDX-License-Identifier: Apache-2.0
// The headline of a diagnostic as text shows it.
#pragma once

#include <string>

#include "src/diag/diagnostic.h"

namespace t2n {

/// The message; for a bug or a lint finding, after its subject: "file.cpp:12: no result".
std::string headline(const Diagnostic& diagnostic);

}  // namespace t2n
