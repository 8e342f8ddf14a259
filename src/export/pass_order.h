// SPDX-License-Identifier: Apache-2.0
// Orders of passes that would lose the work of one of them.
#pragma once

#include <vector>

#include "ir/graph.h"
#include "src/passes/pass.h"

namespace t2n {

/// Errors: `usage`, with the order that works, if a pass of compression runs before another one
/// of the pipeline whose result it needs or would remove.
void require_order(const std::vector<passes::PassInfo>& pipeline);

/// Errors: `usage` if insert-fake-quant would remove observers that have no scales yet.
void require_scales(const ir::Graph& graph, const std::vector<passes::PassInfo>& pipeline);

}  // namespace t2n
