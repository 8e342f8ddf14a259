// Scales and zero points of stored integers, in graph.quant instead of in statements.
#pragma once

#include "nnef/ast.h"

namespace t2n::strict {

/// A variable whose codes stand for themselves, of which one number is taken and which is
/// multiplied with one, by statements that alone read it, stands for their result instead.
void write_real_scales(nnef::Document& document);

}  // namespace t2n::strict
