// SPDX-License-Identifier: Apache-2.0
// Expressions on tensors that several families use. They avoid traps of tract.
#pragma once

#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "src/draft/axes.h"
#include "src/translate/emitter.h"
#include "src/translate/op_view.h"

namespace t2n::ops {

using draft::all_axes;
using draft::inverse;
using draft::with_size;

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Below all real values, like -infinity: tract's maximum of values that are all -infinity is this.
/// It masks an attention score completely. An infinity would give NaN in tract, which processes
/// keys in blocks, for a query that sees no key of its first block.
inline constexpr double kLowest = std::numeric_limits<float>::lowest();
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Operands broadcast; both have one dtype, which the result keeps. For booleans, add is `or` and
// mul is `and`.
Ref add(Emitter& out, Ref a, Ref b);
Ref sub(Emitter& out, Ref a, Ref b);
Ref mul(Emitter& out, Ref a, Ref b);
Ref div(Emitter& out, Ref a, Ref b);
Ref minimum(Emitter& out, Ref a, Ref b);
Ref maximum(Emitter& out, Ref a, Ref b);
Ref neg(Emitter& out, Ref x);
Ref magnitude(Emitter& out, Ref x);  ///< |x|

/// `op` is one of lt le gt ge eq ne.
Ref compare(Emitter& out, std::string_view op, Ref a, Ref b);
Ref logical_and(Emitter& out, Ref a, Ref b);
Ref logical_or(Emitter& out, Ref a, Ref b);
Ref logical_xor(Emitter& out, Ref a, Ref b);
Ref logical_not(Emitter& out, Ref x);
Ref select(Emitter& out, Ref condition, Ref then, Ref otherwise);
/// True for NaN only (defined in nan.cpp).
Ref is_nan(Emitter& out, Ref x);

/// A number as a rank-0 operand of the dtype of `x`.
Ref like(Emitter& out, double value, Ref x);

/// f16 becomes f32, and so does f64 if the target lacks it; other dtypes stay. torch computes
/// formulas of several steps in this way.
Ref widened(Emitter& out, Ref x);

/// One of tract's reductions over ascending `axes`; f16 is summed in f32, booleans as u8. The axes
/// keep extent 1. `dtype` is the result's, if it differs from the operand's.
Ref reduce(Emitter& out, std::string_view op, Ref x, const Ints& axes,
           std::optional<DType> dtype = {});

/// max_reduce or min_reduce, correct also if all elements are infinities: tract returns the lowest
/// or highest number then (docs/engine_bugs.md). A NaN that the file preserves is the extremum.
Ref exact_extremum(Emitter& out, std::string_view op, Ref x, const Ints& axes);
/// argmax_reduce or argmin_reduce: the index of the first extremum.
Ref first_extremum(Emitter& out, std::string_view op, Ref x, const Ints& axes);

/// 0, 1, … n - 1 along `axis` of a tensor of `rank`, extent 1 elsewhere.
Ref iota(Emitter& out, const Dim& n, int axis, int rank);
/// Integers as a constant.
Ref int_constant(Emitter& out, const std::vector<int64_t>& values, const Ints& shape,
                 std::string_view name);
/// The permutation that moves `axis` to the front; inverse() undoes it.
Ints axis_to_front(int axis, int rank);
/// The size of one axis as an integer; refuses a symbolic one.
int64_t extent(const Emitter& out, Ref x, int64_t axis);
/// The shape that two shapes broadcast to.
Ints broadcast_sizes(const Ints& a, const Ints& b);
Ref at_least_1d(Emitter& out, Ref x);
/// Whether the size of this axis may be 0.
bool may_be_empty(Emitter& out, Ref x, int axis);
/// `x` with a 0 appended to an axis that may be empty, so that the slice 0..1 exists.
Ref with_entry(Emitter& out, Ref x, int axis);
/// `x` with the order along some axes reversed.
Ref reversed(Emitter& out, Ref x, const Ints& axes);
/// All elements along one axis, in row-major order.
Ref flattened(Emitter& out, Ref x);

/// Argument `name`, a tensor or a number, in `dtype`.
Ref operand(const OpView& op, Emitter& out, std::string_view name, DType dtype);
/// A number as a tensor of `dtype` stores it: integers lose its fraction.
Ref converted_number(const OpView& op, Emitter& out, std::string_view name, DType dtype);
/// `self` and `other`; a number takes the dtype of the tensor.
std::pair<Ref, Ref> operands(const OpView& op, Emitter& out);
/// Whether `x` is a rank-0 constant of this value.
bool is_number(const Emitter& out, Ref x, double value);
/// Declares the result, in the dtype and shape of torch: in-place operators round to `self`.
void finish(const OpView& op, Emitter& out, Ref y, int index = 0);
/// Ignores those of `names` that the schema has.
void ignore_present(const OpView& op, std::initializer_list<std::string_view> names,
                    std::string_view why);

}  // namespace t2n::ops
