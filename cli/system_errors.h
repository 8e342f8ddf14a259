// Converts errors of the operating system to diagnostics.
#pragma once

#include <filesystem>
#include <system_error>

#include "src/diag/error.h"

namespace t2n::cli {

Error out_of_memory();
/// Errors of the system are not our bugs.
Error system_error(const std::system_error& error);
/// For a path that changed while it was examined, or is not valid text.
Error path_error(const std::filesystem::filesystem_error& error);

}  // namespace t2n::cli
