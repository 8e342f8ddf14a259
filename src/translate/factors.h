// Constants that scale a tensor one after the other, which tract makes one.
#pragma once

#include <string_view>
#include <vector>

#include "src/translate/emitter.h"

namespace t2n::ops {

/// What constants have scaled a tensor by so far.
struct Scaling {
  double least = 0,
         most = 0;       ///< exponents of 2: of the smallest factor that is not 0, and the largest
  bool is_exact = true;  ///< powers of two only
};

/// The operand that `op` scales once more, where the result is another one if the constants meet
/// first. tract computes x * a * b as x * (a * b), which may overflow, vanish or be rounded
/// otherwise; so it does with quotients. It does not look behind a sign.
std::optional<size_t> scaled_twice(Emitter& out, std::string_view op,
                                   const std::vector<Ref>& operands);
/// Remembers what scales `result`, also where only axes are changed.
void note_scaled(Emitter& out, std::string_view op, const std::vector<Ref>& operands, Ref result);

}  // namespace t2n::ops
