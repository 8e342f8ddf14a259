// Inserts the quantisers that settings request.
#pragma once

#include <optional>
#include <string>

#include "ir/tensor.h"
#include "src/compress/calibrate/insertion.h"
#include "src/compress/settings/settings.h"
#include "src/diag/sink.h"

namespace t2n::compress {

/// The order at one value: pruning comes before quantisation.
constexpr int kPruningPriority = 10;
constexpr int kQuantiserPriority = 20;

/// Why a weight stays in 32-bit floats although settings request integers or 16 bits: the format
/// cannot represent its values, or the scales take more bytes than the integers save. "" for
/// others, and for weights that are not loaded. `axis`: of channels, if there is one.
std::string unfit_reason(const ir::Tensor& weight, std::optional<int> axis,
                         const WeightSettings& settings);

/// Inserts an observer for each weight, activation and bias that settings quantise to integers, and
/// casts for 16-bit weights. The pass `quantise-q4_0` handles weights of Format::q4_0. `report`
/// receives weights that the requested format cannot represent. Tensors that the model itself
/// quantises are unchanged (existing_qparams.h).   Errors: `unsupported-argument` for NaN and
/// infinities in weights that become integers.
void add_quantisers(Insertions& insertions, const ir::Graph& graph, const Settings& settings,
                    const Report& report);

}  // namespace t2n::compress
