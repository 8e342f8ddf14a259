// SPDX-License-Identifier: Apache-2.0
// Entries in the arguments of tract_core_scan.
#pragma once

#include <cstdint>
#include <string>

#include "src/nnef/ast.h"

namespace t2n::ops {

/// An entry of `full`: a parameter of the body, and its operand.
nnef::Value scan_pair(const std::string& name, nnef::Value value);
/// An entry of `scan` or `output`: a parameter of the body and its operand, or a result and which
/// values to output, with an axis and a step.
nnef::Value scan_quadruple(const std::string& name, nnef::Value second, int64_t axis = 0,
                           int64_t step = 1);

}  // namespace t2n::ops
