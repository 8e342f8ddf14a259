// SPDX-License-Identifier: Apache-2.0
// The sum length from which an engine is faster with 8-bit integers than with f32.
#pragma once

#include <cstdint>

#include "src/target/target.h"

namespace t2n::target {

enum class Layer { linear };

/// The least number of products in one sum. 0: never faster, or wrong results.
int64_t least_integer_products(const Target& target, Layer layer);

}  // namespace t2n::target
