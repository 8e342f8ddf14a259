// Sizes of single axes that must be known at export; the other axes may be symbolic.
#pragma once

#include <algorithm>

#include "ops/emitter.h"
#include "ops/op_view.h"

namespace t2n::ops {

/// Whether all sizes are known.
inline bool is_static(const Shape& shape) {
  return std::all_of(shape.begin(), shape.end(),
                     [](const Dim& size) { return size.is_constant(); });
}

/// Of an axis, symbolic or not.
inline const Dim& size_of(const Emitter& out, Ref x, int64_t axis) {
  return out.shape(x).at(static_cast<size_t>(axis));
}

/// Refuses a symbolic size with `unsupported-argument`.
inline int64_t known_size(const Emitter& out, Ref x, int axis) {
  const Dim& size = out.shape(x).at(static_cast<size_t>(axis));
  return size.is_constant() ? size.value() : out.sizes(x).at(static_cast<size_t>(axis));
}

/// The same of an output; refuses with `unsupported-op`.
inline int64_t known_size(const OpView& op, int output, int axis) {
  const Dim& size = op.shape(output).at(static_cast<size_t>(axis));
  return size.is_constant() ? size.value() : op.sizes(output).at(static_cast<size_t>(axis));
}

}  // namespace t2n::ops
