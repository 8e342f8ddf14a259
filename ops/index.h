// The parts of the index family, one file each; register_index calls them.
#pragma once

namespace t2n::ops {

class Registry;

void register_embedding_bag(Registry& registry);  ///< embedding_bag.cpp
void register_sort(Registry& registry);           ///< sort.cpp: largest elements, orders, medians

}  // namespace t2n::ops
