// SPDX-License-Identifier: Apache-2.0
// The pass `integer-products`: linear layers over 8-bit integers become sums of integers.
#pragma once

#include "src/passes/pass.h"

namespace t2n::passes {

/// Graph attribute: the number of products in a sum from which the target prefers integers
/// (int64_t). Without it the pass changes nothing.
inline constexpr const char* kLeastIntegerProducts = "least_integer_products";

/// Runs after `expand-quantised`. A linear layer whose weight is a cast of i8, and whose input is
/// provably integer-valued within a range of 256, becomes a `t2n::integer_linear` of i8 with
/// 32-bit sums. These are exact, while f32 sums are exact up to 2^24 only.
bool integer_products(ir::Graph& graph, const PassContext& context);

}  // namespace t2n::passes
