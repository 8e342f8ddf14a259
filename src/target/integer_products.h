// SPDX-License-Identifier: Apache-2.0
// The forms of sums of 8-bit products that an engine computes fastest.
#pragma once

#include <cstdint>
#include <string_view>

#include "src/target/target.h"

namespace t2n::target {

/// What is known about the processor that will run the model.
enum class Processor {
  any,
  vnni  ///< instructions that sum products of bytes: AVX-VNNI, AVX512-VNNI, or those of ARMv8.2
};
/// "any", "vnni".   Errors: `usage`.
Processor parse_processor(std::string_view text);
inline constexpr const char* kProcessor = "processor";  ///< graph attribute

enum class Layer { linear };

/// The least number of products in one sum from which the engine is faster with i8 than with f32.
/// 0: never faster, or wrong results.
int64_t least_integer_products(const Target& target, Layer layer, Processor processor);
/// Whether the engine multiplies 32-bit integers right, for sums that f32 would round.
bool sums_integers(const Target& target);

}  // namespace t2n::target
