// SPDX-License-Identifier: Apache-2.0
// The families of operators of this folder: the same elements elsewhere, and created tensors. Each
// function adds one to the table.
#pragma once

namespace t2n::ops {

class Registry;

void register_creation(Registry& registry);
void register_creation_shapes(Registry& registry);
void register_diagonal(Registry& registry);
void register_index(Registry& registry);
void register_join(Registry& registry);
void register_pad(Registry& registry);
void register_shape(Registry& registry);
void register_shape_shapes(Registry& registry);
void register_slice(Registry& registry);
void register_slice_shapes(Registry& registry);
void register_unfold(Registry& registry);

}  // namespace t2n::ops
