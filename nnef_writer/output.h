// SPDX-License-Identifier: Apache-2.0
// Single files that commands write: reports, arrays.
#pragma once

#include <functional>

#include "nnef_writer/destination.h"
#include "nnef_writer/temporary.h"

namespace t2n::nnef {

/// Writes a file atomically, replacing an existing one, or nothing if `write` throws; or writes to
/// standard output.   Errors: those of check_replaceable; `cannot-write`.
void write_file(const Destination& destination, const std::function<void(FileWriter&)>& write);

}  // namespace t2n::nnef
