// SPDX-License-Identifier: Apache-2.0
// graph.quant of the standard: quantisation of floats (NNEF 1.0.5 §7).
#pragma once

#include "src/interp/value.h"
#include "src/nnef/ast.h"

namespace t2n::interp {

class Kernels;

/// Dequantises integers; rounds floats to representable values.
Value quantised(const nnef::QuantEntry& entry, const Value& value);

void register_quant(Kernels& kernels);

}  // namespace t2n::interp
