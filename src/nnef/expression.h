// SPDX-License-Identifier: Apache-2.0
// Expressions of NNEF, from literals to comprehensions.
#pragma once

#include "src/nnef/ast.h"
#include "src/nnef/cursor.h"

namespace t2n::nnef {

/// Reads any expression except raw ones. A minus becomes part of a literal.
Value read_expression(Cursor& cursor);

/// Reads an invocation, starting at its name.
Value read_invocation(Cursor& cursor);

}  // namespace t2n::nnef
