// SPDX-License-Identifier: Apache-2.0
// Converts exceptions to diagnostics.
#pragma once

#include "src/diag/error.h"

namespace t2n::cli {

/// The exception that is being handled. Errors of the system are not our bugs.
Error current_error();

}  // namespace t2n::cli
