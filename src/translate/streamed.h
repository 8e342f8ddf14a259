// SPDX-License-Identifier: Apache-2.0
// Operations on streamed tensors, for which tract needs other statements.
#pragma once

#include <optional>

#include "src/translate/emitter.h"

namespace t2n::ops {

/// A reshape that forms groups along the streamed axis, or splits them. tract needs complete
/// groups: entries that earlier operations removed at the end are added temporarily. std::nullopt
/// if none were removed, or if the sizes do not show it.
std::optional<Ref> reshape_streamed(Emitter& out, Ref x, const Shape& shape);

/// Broadcasts a tensor along axes that are not streamed, by a gather: in pulses, tract loses the
/// delay of a tensor that it broadcasts. std::nullopt if no axis of `x` is streamed.
std::optional<Ref> repeat_streamed(Emitter& out, Ref x, const Shape& shape);

/// Repeats each entry along an axis so that the axis gets `size`, if torch's nearest interpolation
/// does the same at every length for which its step of 1 / `scale` in f32 is exact enough.
std::optional<Ref> enlarge_streamed(Emitter& out, Ref x, int axis, const Dim& size,
                                    std::optional<double> scale);

/// Every `step`th entry of floats along an axis, as means of one entry each. A gather would only
/// see one pulse, and tract moves a slice with a stride into a preceding convolution, at the wrong
/// offset.
Ref streamed_steps(Emitter& out, Ref x, int axis, int64_t step);

}  // namespace t2n::ops
