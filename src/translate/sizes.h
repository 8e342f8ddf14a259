// SPDX-License-Identifier: Apache-2.0
// Sizes of single axes, symbolic or known at export.
#pragma once

#include <algorithm>
#include <limits>

#include "ir/atoms.h"
#include "ir/prove.h"
#include "src/translate/emitter.h"
#include "src/translate/op_view.h"

namespace t2n::ops {

/// Whether all sizes are known.
inline bool is_static(const Shape& shape) {
  return std::all_of(shape.begin(), shape.end(),
                     [](const Dim& size) { return size.is_constant(); });
}

/// The size of an axis, symbolic or not.
inline const Dim& size_of(const Emitter& out, Ref x, int64_t axis) { return out.shape(x).at(axis); }

/// The product of the sizes.
inline Dim element_count(const Shape& shape) {
  Dim count = 1;
  for (const Dim& size : shape) count = count * size;
  return count;
}

/// A size that tract cannot express, computed at run time with i64 numbers.
Ref computed_size(Emitter& out, const Dim& size);

/// Whether the size is 0 for some sizes that the exported model allows.
bool may_be_zero(Emitter& out, const Dim& size);

/// `x`, whose sizes get the expressions in `shape` where tract, which compares expressions, cannot
/// prove them equal.
Ref with_named_sizes(Emitter& out, Ref x, const Shape& shape);

/// Entries [begin, end) of an axis.
struct SliceRange {
  Dim begin;
  Dim end;
};

/// The arguments start, end and step of a slice with `count` entries, of an axis of `size`; some
/// are symbolic. `count` shows where torch clamped them.
inline SliceRange symbolic_range(const OpView& op, const Emitter& out, const Dim& size,
                                 const Dim& count) {
  constexpr int64_t kUnbounded = std::numeric_limits<int64_t>::max();
  const Dim start = op.opt_dim("start").value_or(Dim(0)),
            end = op.opt_dim("end").value_or(kUnbounded);
  const int64_t first = out.at_sample(start), last = out.at_sample(end), step = op.i64("step");
  const Dim from = first < 0 ? size + start : start;
  const Dim begin = ir::has_choice(count) ? min(from, size) : from;
  if (step != 1) return {begin, begin + (count - Dim(1)) * Dim(step) + Dim(1)};
  // `x[-n:]`, where n is 0 in the sample.
  const bool counts_back = first == 0 && !start.is_constant() &&
                           ir::prove({start, ir::Relation::le, 0}) == ir::Verdict::always;
  if (counts_back && end == Dim(kUnbounded)) return {size - count, size};
  if (first >= 0) return {begin, end == Dim(kUnbounded) ? size : begin + count};
  // From the back: the start may have been clamped; an absent or negative end was not.
  if (end == Dim(kUnbounded)) return {size - count, size};
  if (last < 0) return {size + end - count, size + end};
  return {begin, begin + count};
}

/// A known bound of a slice by Python's rule: negative ones count from the end, and those outside
/// are clamped.
inline int64_t slice_bound(int64_t bound, int64_t size) {
  return std::clamp<int64_t>(bound < 0 ? bound + size : bound, 0, size);
}

/// Refuses a symbolic size with `unsupported-argument`.
inline int64_t known_size(const Emitter& out, Ref x, int axis) {
  const Dim& size = out.shape(x).at(axis);
  return size.is_constant() ? size.value() : out.sizes(x).at(axis);
}

/// The same for an output; refuses with `unsupported-op`.
inline int64_t known_size(const OpView& op, int output, int axis) {
  const Dim& size = op.shape(output).at(axis);
  return size.is_constant() ? size.value() : op.sizes(output).at(axis);
}

}  // namespace t2n::ops
