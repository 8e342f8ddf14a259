// Torch's observers: modules that collect statistics of a quantiser's input.
#pragma once

#include "src/diag/diagnostic.h"

namespace t2n::trace {

/// The help text if an observer is on: its statistics, and branches on them, are not part of what a
/// model computes.
inline constexpr const char* kSwitchOff =
    "call model.apply(torch.ao.quantization.disable_observer) before saving, or convert the model";

inline bool is_observer(const Where& place) { return place.module_class.ends_with("Observer"); }

}  // namespace t2n::trace
