// SPDX-License-Identifier: Apache-2.0
// Arguments, sizes and tensors' facts in the tables of a .pt2 file. Private to src/pt2.
#pragma once

#include "src/pt2/json_cursor.h"
#include "src/pt2/program.h"

namespace t2n::pt2 {

/// Errors of all: `model-corrupt`. `depth`: of graphs around it.
Argument read_argument(const Cursor& at, int depth = 0);
Graph read_graph(const Cursor& at, int depth = 0);
TensorMeta read_tensor_meta(const Cursor& at);

}  // namespace t2n::pt2
