// From how many products on an engine is faster with sums of 8-bit integers than with f32.
#pragma once

#include <cstdint>

#include "src/target/target.h"

namespace t2n::target {

enum class Layer { linear };

/// 0: never, or wrong results.
int64_t least_integer_products(const Target& target, Layer layer);

}  // namespace t2n::target
