// SPDX-License-Identifier: Apache-2.0
// Operators that read quantisation parameters as numbers.
#pragma once

#include <string>

#include "ir/graph.h"

namespace t2n::ir {

/// q_scale(), q_zero_point(), q_per_channel_axis().
bool reads_qparams(const std::string& op);
/// Whether scale and zero point are data-dependent: the tensor was quantised with its own range or
/// with a computed scale, and only container or view operations followed.
bool has_dynamic_qparams(const Graph& graph, ValueId quantised);

}  // namespace t2n::ir
