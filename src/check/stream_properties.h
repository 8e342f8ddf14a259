// SPDX-License-Identifier: Apache-2.0
// Streaming models (--stream): what a target and a document must have.
#pragma once

#include <string>
#include <vector>

#include "src/dynamic/axes.h"
#include "src/nnef/ast.h"
#include "src/target/target.h"

namespace t2n {

/// Errors: `usage` for a target without pulses, for a symbol that is not a declared axis, and for
/// several axes of one input.
void require_stream(const target::Target& target, const std::vector<dynamic::AxisSpec>& axes);

/// Properties of a document: the symbol, the divisor of valid pulse lengths, and their minimum
/// (default 0).
struct StreamProperties {
  std::string symbol;
  int64_t multiple = 1;
  int64_t least = 0;
};
StreamProperties stream_properties(const nnef::Document& document);

}  // namespace t2n
