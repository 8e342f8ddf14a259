// The pass `integer-products`: linear layers over whole numbers of 8 bits as sums of integers.
#pragma once

#include "src/passes/pass.h"

namespace t2n::passes {

/// Graph attribute: the fewest products in a sum for which the target wants integers (int64_t).
/// Without it the pass changes nothing.
inline constexpr const char* kLeastIntegerProducts = "least_integer_products";

/// Takes graphs after `expand-quantised`. A linear layer whose weight is a cast of i8 and whose
/// input is proven to be whole numbers of at most 256 kinds becomes a `t2n::integer_linear` of i8,
/// whose sums of 32 bits are exact: what f32 sums up to 2^24 only.
bool integer_products(ir::Graph& graph, const PassContext& context);

}  // namespace t2n::passes
