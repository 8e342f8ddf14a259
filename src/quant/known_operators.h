// SPDX-License-Identifier: Apache-2.0
// Operators that have no translation under their own name.
#pragma once

#include <string_view>

namespace t2n::quant {

/// Whether the pass `expand-quantised` replaces the operator by plain operations. `op`: its name
/// without overload, as "quantized::linear".
bool is_expanded(std::string_view op);

}  // namespace t2n::quant
