// Sizes of single axes that must be known at export; the other axes may be symbolic.
#pragma once

#include "ops/emitter.h"
#include "ops/op_view.h"

namespace t2n::ops {

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
