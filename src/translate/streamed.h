// Tensors that come piece by piece, where tract needs other words for them.
#pragma once

#include <optional>

#include "src/translate/emitter.h"

namespace t2n::ops {

/// A reshape that forms groups along the axis of a stream, or takes them apart. tract takes whole
/// groups only: what operations before took away from the end is added for the while. Nothing where
/// nothing was, or where the sizes say no such thing.
std::optional<Ref> reshape_streamed(Emitter& out, Ref x, const Shape& shape);

/// Every `step`th entry of floats along an axis: means of one entry each. An index would meet one
/// piece only, and tract moves a slice with a step into a convolution in front, at the wrong place.
Ref streamed_steps(Emitter& out, Ref x, int axis, int64_t step);

}  // namespace t2n::ops
