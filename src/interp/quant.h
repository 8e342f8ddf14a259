// graph.quant of the standard: reals with few bits (NNEF 1.0.5 §7).
#pragma once

#include "nnef/ast.h"
#include "src/interp/value.h"

namespace t2n::interp {

class Kernels;

/// Integer codes become the reals that they represent; reals are rounded to representable ones.
Value quantised(const nnef::QuantEntry& entry, const Value& value);

void register_quant(Kernels& kernels);

}  // namespace t2n::interp
