// What becomes of operators that no translation knows by their name.
#pragma once

#include <string_view>

namespace t2n::quant {

/// Whether the pass `expand-quantised` says the operator in plain operations. `op` is a name
/// without overload: "quantized::linear".
bool is_expanded(std::string_view op);

}  // namespace t2n::quant
