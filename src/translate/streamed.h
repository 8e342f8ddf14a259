// Tensors that come piece by piece, where tract needs other words for them.
#pragma once

#include <optional>

#include "src/translate/emitter.h"

namespace t2n::ops {

/// A reshape that forms groups along the axis of a stream, or takes them apart. tract takes whole
/// groups only: what operations before took away from the end is added for the while. Nothing where
/// nothing was, or where the sizes say no such thing.
std::optional<Ref> reshape_streamed(Emitter& out, Ref x, const Shape& shape);

/// A tensor repeated along axes that do not come in pieces, by an index: of one that it broadcasts
/// tract forgets in pulses how late it comes. Nothing where no axis of `x` comes in pieces.
std::optional<Ref> repeat_streamed(Emitter& out, Ref x, const Shape& shape);

/// Each entry along an axis as often as makes the axis `size` long, where that is what torch's
/// nearest interpolation does for as long as it is computed: with a step of 1 / `scale` in f32.
std::optional<Ref> enlarge_streamed(Emitter& out, Ref x, int axis, const Dim& size,
                                    std::optional<double> scale);

/// Every `step`th entry of floats along an axis: means of one entry each. An index would meet one
/// piece only, and tract moves a slice with a step into a convolution in front, at the wrong place.
Ref streamed_steps(Emitter& out, Ref x, int axis, int64_t step);

}  // namespace t2n::ops
