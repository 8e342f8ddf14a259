// SPDX-License-Identifier: Apache-2.0
// Torch's observers, which collect statistics of a quantiser's input, and quantisers without them.
#pragma once

#include "ir/graph.h"
#include "src/frontend/state/leaves.h"

namespace t2n::trace {

/// The help text if an observer is enabled: its statistics, and branches on them, are not part of
/// the model's function.
inline constexpr const char* kSwitchOff =
    "call model.apply(torch.ao.quantization.disable_observer) before saving, or convert the model";

inline bool is_observer(const Where& where) { return where.module_class.ends_with("Observer"); }

/// Refuses fake quantisation with scale 1 and zero point 0, the initial values, in a module whose
/// observer (`activation_post_process`, as torch.ao.quantization names it) never saw data. Errors:
/// `unsupported-argument`.
void require_observed(const ObjectPtr& model, const ir::Graph& graph);

}  // namespace t2n::trace
