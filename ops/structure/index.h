// SPDX-License-Identifier: Apache-2.0
// The parts of the index family, one file each; register_index calls them.
#pragma once

#include "src/translate/arith.h"

namespace t2n::ops {

class OpView;
struct Sorted {
  Ref values;
  Ref indices;
};
/// The first k along an axis, in order. tract keeps the order of equal elements, as a stable sort
/// does.
Sorted sorted(Emitter& out, Ref x, const Dim& k, int axis, bool largest);

/// True if the model computes the repeats and tract can compute the size of the result.
bool has_computed_repeats(const Emitter& out, Ref repeats, const OpView& op);
/// The indices of `entries`, entry i repeated repeats[i] times; `count` in total.
Ref computed_repeat_indices(Emitter& out, Ref repeats, const Dim& entries, const Dim& count);

}  // namespace t2n::ops
