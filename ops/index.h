// The parts of the index family, one file each; register_index calls them.
#pragma once

#include "src/translate/arith.h"

namespace t2n::ops {

class Registry;

struct Sorted {
  Ref values;
  Ref indices;
};
/// The first k in order along an axis. tract keeps the order of equal elements, as a stable sort
/// does.
Sorted sorted(Emitter& out, Ref x, const Dim& k, int axis, bool largest);

void register_embedding_bag(Registry& registry);  ///< embedding_bag.cpp
void register_quantile(Registry& registry);       ///< quantile.cpp: quantiles, medians, modes
void register_sort(Registry& registry);           ///< sort.cpp: largest elements, orders, medians

}  // namespace t2n::ops
