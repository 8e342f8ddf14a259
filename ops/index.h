// The parts of the index family, one file each; register_index calls them.
#pragma once

#include "src/translate/arith.h"

namespace t2n::ops {

class OpView;
class Registry;

struct Sorted {
  Ref values;
  Ref indices;
};
/// The first k along an axis, in order. tract keeps the order of equal elements, as a stable sort
/// does.
Sorted sorted(Emitter& out, Ref x, const Dim& k, int axis, bool largest);

/// Whether tract's counting operations express an operator that repeats entries.
bool is_counted(const Emitter& out, Ref repeats, const OpView& op);
/// The positions of `entries` that are repeated as often as `repeats` says, `count` in total.
Ref counted_places(Emitter& out, Ref repeats, const Dim& entries, const Dim& count);

void register_counted(Registry& registry);        ///< counted.cpp: distinct values, counts
void register_embedding_bag(Registry& registry);  ///< embedding_bag.cpp
void register_nonzero(Registry& registry);        ///< nonzero.cpp: positions of nonzero elements
void register_quantile(Registry& registry);       ///< quantile.cpp: quantiles, medians, modes
void register_sort(Registry& registry);           ///< sort.cpp: largest elements, orders, medians

}  // namespace t2n::ops
