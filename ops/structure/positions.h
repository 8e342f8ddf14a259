// SPDX-License-Identifier: Apache-2.0
// Advanced indexing: the index tensors of x[i, :, j] as one index over the axes that they select.
#pragma once

#include "src/translate/arith.h"

namespace t2n::ops {

// Computed masks, for `t2nnef ops` and for refusals.
const std::string& computed_masks();
const std::string& computed_mask_help();

struct Positions {
  Ints axes;  ///< of the indexed tensor, ascending
  Ref index;  ///< i64, of the shape that the indices broadcast to; counts over `axes` in row-major
              ///< order
};

/// Reads the argument `indices`. Masks must be constants, unless the operation `reads` what they
/// select, so that its result shows the number of elements. A single index may hold negative
/// values, which count from the end; no `axes` if all entries are None.
Positions positions(const OpView& op, Emitter& out, Ref self, bool reads = false);

/// Whether the axes are consecutive: torch then puts the result's new axes in their place.
bool is_adjacent(const Ints& axes);
/// A permutation that brings `axes` to the front.
Ints to_front(const Ints& axes, int rank);

/// A tensor whose indexed axes are merged in front, with what is needed to undo this.
struct Rows {
  Ref x;  ///< [positions, ...]
  Shape shape;
  Ints permutation;
};
Rows as_rows(Emitter& out, Ref x, const Ints& axes);
/// `y`, with the shape of `rows.x`, brought back to the original order of axes.
Ref from_rows(Emitter& out, Ref y, const Rows& rows);

/// The index with negative values, which count from the end of an axis of `size`, made positive.
Ref wrapped(Emitter& out, Ref index, const Dim& size);

/// x[.., index, ..] at `axis`, which the axes of `index` replace.
Ref take(Emitter& out, Ref x, Ref index, int axis);
/// The same with positions that are known at export.
Ref take(Emitter& out, Ref x, const std::vector<int64_t>& indices, int axis);

}  // namespace t2n::ops
