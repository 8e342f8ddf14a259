// SPDX-License-Identifier: Apache-2.0
// fill_diagonal_, which torch has only as a write, in operations without writes.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "src/frontend/load/call.h"

namespace t2n::trace {

/// Recorder::emit.
using Emit = std::function<ir::ValueId(std::string_view op, std::vector<ir::Argument> args,
                                       ir::DType dtype, ir::Ints shape, Location location)>;
/// The operand with all entries filled whose indices are equal along all axes: takes the diagonals
/// of the first and last axes repeatedly, and puts them back. Errors: `unsupported-inplace`.
ir::ValueId diagonal_filled(const Emit& emit, const OpCall& call);

}  // namespace t2n::trace
