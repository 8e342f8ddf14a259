// SPDX-License-Identifier: Apache-2.0
// The pass `integer-products`: linear layers over 8-bit integers become sums of integers.
#pragma once

#include "src/passes/pass.h"

namespace t2n::passes {

/// How the target computes linear layers over 8-bit integers.
struct IntegerProducts {
  int64_t least_bytes = 0;   ///< the products in a sum from which i8 is faster than f32; 0: never
  bool keeps_exact = false;  ///< sums that f32 may round are those of 32-bit integers
};
/// Graph attribute, an IntegerProducts. Without it the pass changes nothing.
inline constexpr const char* kIntegerProducts = "integer_products";

/// Runs after `expand-quantised`. A linear layer whose weight is a cast of i8, and whose input is
/// provably integer-valued within a range of 256, becomes a `t2n::integer_linear` with 32-bit sums,
/// of i8 or of i32. These are exact, while f32 sums are exact up to 2^24 only.
bool integer_products(ir::Graph& graph, const PassContext& context);

}  // namespace t2n::passes
