// Constants that scale a tensor one after the other, which tract folds into one.
#pragma once

#include <string_view>
#include <vector>

#include "src/translate/emitter.h"

namespace t2n::ops {

/// The product of the constants that have scaled a tensor so far.
struct Scaling {
  double least = 0,
         most = 0;       ///< exponents of 2: of the smallest factor that is not 0, and the largest
  bool is_exact = true;  ///< powers of two only
};

/// The operand that `op` scales again, if folding the constants would change the result. tract
/// computes x * a * b as x * (a * b), which may overflow, underflow or be rounded differently; the
/// same holds for quotients. It does not fold across a negation.
std::optional<size_t> scaled_twice(Emitter& out, std::string_view op,
                                   const std::vector<Ref>& operands);
/// Records what scales `result`, also for operations that only move elements.
void note_scaled(Emitter& out, std::string_view op, const std::vector<Ref>& operands, Ref result);

}  // namespace t2n::ops
