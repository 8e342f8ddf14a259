// SPDX-License-Identifier: Apache-2.0
// Shared by scatter operations: writing elements at positions that other tensors hold.
#pragma once

#include "src/shapes/shape_rule.h"
#include "src/translate/arith.h"

namespace t2n::ops {

/// How a written value combines with the old one. tract before 0.23 knows `none` only.
enum class Combine { none, sum, prod, amin, amax };

struct Write {
  Combine combine = Combine::none;
  bool is_native = true;  ///< the engine combines; otherwise all indices are compared
};

/// y[.., index[.., k, ..], ..] = src[.., k, ..] along `axis`; `index` and `src` have one shape,
/// whose other axes may be shorter than those of x.
Ref scatter_elements(Emitter& out, Ref x, Ref index, Ref src, int axis, Write write);

/// y[index[k], ...] = rows[k, ...]; `index` is [k] and not negative.
Ref scatter_rows(Emitter& out, Ref x, Ref index, Ref rows, Write write);

/// index_add and similar operators: one row of the source for each index.
shapes::Shapes put_rows_shapes(const shapes::ShapeView& op);

}  // namespace t2n::ops
