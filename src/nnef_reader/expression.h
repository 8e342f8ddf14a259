// Expressions of NNEF, from literals to comprehensions.
#pragma once

#include "nnef/ast.h"
#include "src/nnef_reader/cursor.h"

namespace t2n::nnef {

/// An expression of any kind but raw. Literals take a minus into themselves.
Value read_expression(Cursor& cursor);

/// An invocation, at its name.
Value read_invocation(Cursor& cursor);

}  // namespace t2n::nnef
