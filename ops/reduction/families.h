// SPDX-License-Identifier: Apache-2.0
// The families of operators of this folder: results of many elements along axes. Each function adds
// one to the table.
#pragma once

namespace t2n::ops {

class Registry;

void register_class_losses(Registry& registry);
void register_cumulative(Registry& registry);
void register_loss(Registry& registry);
void register_points(Registry& registry);
void register_quantile(Registry& registry);
void register_reduce(Registry& registry);
void register_sort(Registry& registry);
void register_statistics(Registry& registry);

}  // namespace t2n::ops
