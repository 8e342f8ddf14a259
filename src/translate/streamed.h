// Streamed tensors, for which tract needs other operations.
#pragma once

#include <optional>

#include "src/translate/emitter.h"

namespace t2n::ops {

/// A reshape that forms groups along the streamed axis, or splits them. tract takes whole groups
/// only: entries that earlier operations removed at the end are added temporarily. Nothing if none
/// were removed, or if the sizes do not show it.
std::optional<Ref> reshape_streamed(Emitter& out, Ref x, const Shape& shape);

/// A tensor repeated along axes that are not streamed, by an index: in pulses, tract forgets the
/// delay of a tensor that it broadcasts. Nothing if no axis of `x` is streamed.
std::optional<Ref> repeat_streamed(Emitter& out, Ref x, const Shape& shape);

/// Repeats each entry along an axis so that the axis gets `size`, if torch's nearest interpolation
/// does the same at every length for which its step of 1 / `scale` in f32 is exact enough.
std::optional<Ref> enlarge_streamed(Emitter& out, Ref x, int axis, const Dim& size,
                                    std::optional<double> scale);

/// Every `step`th entry of floats along an axis, as means of one entry each. An index would only
/// see one piece, and tract moves a slice with a step into a preceding convolution, at the wrong
/// position.
Ref streamed_steps(Emitter& out, Ref x, int axis, int64_t step);

}  // namespace t2n::ops
