// SPDX-License-Identifier: Apache-2.0
// Sizes in the bodies of scans.
#pragma once

#include <set>
#include <vector>

#include "ir/shape.h"

namespace t2n::tract_forms {

/// The sizes among `used` that tract cannot infer in a body with inputs of these shapes. It infers
/// a size from an input axis that is the size times an integer plus an integer, not from B*T or (B
/// + 1)/2.
std::vector<ir::Symbol> unknown_sizes(const std::set<ir::Symbol>& used,
                                      const std::vector<ir::Shape>& inputs);

}  // namespace t2n::tract_forms
