// SPDX-License-Identifier: Apache-2.0
// Sizes at which statistics and quotients are 0 / 0.
#pragma once

#include "src/translate/nan.h"

namespace t2n::ops {

/// The sizes at which the operation gives NaN and which the assertions allow; std::nullopt for an
/// operation that never does. A constant count is always too small.
std::optional<NanSizes> nan_sizes(const ir::Graph& graph, const ir::Node& node,
                                  const SizeNumbers& numbers,
                                  const std::vector<ir::Comparison>& assertions);

}  // namespace t2n::ops
