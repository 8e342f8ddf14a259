// SPDX-License-Identifier: Apache-2.0
// Delta debugging: the smallest list of items that still fails (Zeller, Hildebrandt: Simplifying
// and isolating failure-inducing input, 2002).
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace t2n::reduce {

using Items = std::vector<size_t>;

/// The items without those that `fails` does not need: first halves, then smaller runs of items,
/// then single ones. None of the remaining items can be removed alone, unless `is_over` ended the
/// search. `fails(items)` must hold.
Items minimise(Items items, const std::function<bool(const Items&)>& fails,
               const std::function<bool()>& is_over);

}  // namespace t2n::reduce
