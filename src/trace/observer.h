// Torch's observers: modules that keep statistics of what a quantiser is given.
#pragma once

#include "src/diag/diagnostic.h"

namespace t2n::trace {

/// What helps where one is on: its statistics, and branches on them, are no part of what a model
/// computes.
inline constexpr const char* kSwitchOff =
    "call model.apply(torch.ao.quantization.disable_observer) before saving, or convert the model";

inline bool is_observer(const Where& place) { return place.module_class.ends_with("Observer"); }

}  // namespace t2n::trace
