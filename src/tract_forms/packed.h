// Weights stored as Q4_0 blocks, which tract supports only in a few operations.
#pragma once

#include <string_view>
#include <vector>

#include "src/translate/emitter.h"

namespace t2n::ops {

/// A variable for the weight whose blocks the constant `packed` contains as bytes.
Ref unpacked(Emitter& out, Ref packed, DType dtype, const Shape& shape);
bool is_q4_0(Emitter& out, Ref ref);

/// Refuses a call in which tract cannot read such a weight.   Errors: `unsupported-op`.
void check_packed(Emitter& out, std::string_view op, const std::vector<Ref>& operands,
                  const Attributes& attributes);

}  // namespace t2n::ops
