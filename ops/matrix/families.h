// SPDX-License-Identifier: Apache-2.0
// The families of operators of this folder: matrices. Each function adds one to the table.
#pragma once

namespace t2n::ops {

class Registry;

void register_einsum(Registry& registry);
void register_grouped(Registry& registry);
void register_matmul(Registry& registry);
void register_matmul_shapes(Registry& registry);
void register_small_matrix(Registry& registry);
void register_triangular(Registry& registry);

}  // namespace t2n::ops
