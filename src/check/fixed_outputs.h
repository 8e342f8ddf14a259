// SPDX-License-Identifier: Apache-2.0
// Finds outputs that depend on no input value: equality is enough for them.
#pragma once

#include <vector>

#include "ir/graph.h"
#include "src/check/input_sets.h"

namespace t2n {

/// By output, whether comparing it is conclusive although it never changes with values: by the
/// recorded graph it depends on no input value, and either on no size, or its value did change with
/// the sizes.
std::vector<bool> fixed_outputs(const ir::Graph& graph, const InputSets& sets);

}  // namespace t2n
