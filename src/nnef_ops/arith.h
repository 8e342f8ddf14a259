// SPDX-License-Identifier: Apache-2.0
// Expressions that several rules use.
#pragma once

#include <string_view>
#include <vector>

#include "src/draft/axes.h"
#include "src/nnef_ops/builder.h"

namespace t2n::nnef_ops {

using draft::all_axes;
using draft::inverse;
using draft::with_size;

// Operands broadcast; both have one dtype, which the result keeps. Booleans add as `or`.
Ref add(Builder& out, Ref a, Ref b);
Ref sub(Builder& out, Ref a, Ref b);
Ref mul(Builder& out, Ref a, Ref b);
Ref div(Builder& out, Ref a, Ref b);
Ref minimum(Builder& out, Ref a, Ref b);
Ref maximum(Builder& out, Ref a, Ref b);
Ref neg(Builder& out, Ref x);

/// `op` is one of lt le gt ge eq ne.
Ref compare(Builder& out, std::string_view op, Ref a, Ref b);
Ref logical_and(Builder& out, Ref a, Ref b);
Ref logical_not(Builder& out, Ref x);
Ref select(Builder& out, Ref condition, Ref then, Ref otherwise);

/// One of tract's reductions over ascending `axes`, which keep extent 1.
Ref reduce(Builder& out, std::string_view op, Ref x, const Ints& axes);
/// 0, 1, … n - 1 along `axis` of a tensor of `rank`, extent 1 elsewhere.
Ref iota(Builder& out, const Dim& n, int axis, int rank);
/// The same as numbers.
Ref index_range(Builder& out, const Dim& n, int axis, int rank);
/// Integers as a constant.
Ref int_constant(Builder& out, const std::vector<int64_t>& values, const Ints& shape,
                 std::string_view name);
/// The diagonal of two axes of one size, as a last axis.
Ref diagonal_of(Builder& out, Ref x, int first, int second);

/// The size of one axis.
int64_t extent(const Builder& out, Ref x, int64_t axis);

}  // namespace t2n::nnef_ops
