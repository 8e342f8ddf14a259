// SPDX-License-Identifier: Apache-2.0
// The families of operators of this folder: writing by index, data-dependent sizes. Each function
// adds one to the table.
#pragma once

namespace t2n::ops {

class Registry;

void register_data_dependent(Registry& registry);
void register_embedding_bag(Registry& registry);
void register_index_writes(Registry& registry);
void register_nonzero(Registry& registry);
void register_scatter(Registry& registry);
void register_scatter_elements(Registry& registry);

}  // namespace t2n::ops
