// SPDX-License-Identifier: Apache-2.0
// Lists of axes and sizes.
#pragma once

#include "src/draft/tensor_entry.h"

namespace t2n::draft {

/// 0, 1, … rank - 1.
Ints all_axes(size_t rank);
/// `shape` with `size` at `axis`.
Shape with_size(Shape shape, int axis, Dim size);
/// The inverse of a permutation of all axes.
Ints inverse(const Ints& permutation);

}  // namespace t2n::draft
