// SPDX-License-Identifier: Apache-2.0
// Inserts the quantisers that settings request.
#pragma once

#include "src/compress/calibrate/insertion.h"
#include "src/compress/settings/settings.h"
#include "src/diag/sink.h"

namespace t2n::compress {

/// The order at one value: pruning comes before quantisation.
constexpr int kPruningPriority = 10;
constexpr int kQuantiserPriority = 20;

/// Inserts an observer for each weight, activation and bias that settings quantise to integers, and
/// casts for 16-bit weights. The pass `quantise-q4_0` handles weights of Format::q4_0. `report`
/// receives weights that the requested format cannot represent, which are noted as well
/// (skipped_weights.h). Tensors that the model itself
/// quantises are unchanged (existing_qparams.h).   Errors: `unsupported-argument` for NaN and
/// infinities in weights that become integers.
void add_quantisers(Insertions& insertions, ir::Graph& graph, const Settings& settings,
                    const Report& report);

}  // namespace t2n::compress
