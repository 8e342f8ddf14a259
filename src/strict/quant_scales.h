// SPDX-License-Identifier: Apache-2.0
// Moves scales and zero points of stored integers from statements to graph.quant.
#pragma once

#include "src/nnef/ast.h"

namespace t2n::strict {

/// For each variable with scale 1 and zero point 0 in graph.quant: if its only reader subtracts an
/// integer, or multiplies by a number, that becomes the zero point or scale of the variable, and
/// the statement is removed.
void fold_quant_scales(nnef::Document& document);

}  // namespace t2n::strict
