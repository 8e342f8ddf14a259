// Finds the quantisers that settings ask for, and inserts them.
#pragma once

#include <optional>
#include <string>

#include "ir/tensor.h"
#include "src/compress/insertion.h"
#include "src/compress/settings.h"
#include "src/diag/sink.h"

namespace t2n::compress {

/// Order at one value: pruning comes before quantisation.
constexpr int kPruningPriority = 10;
constexpr int kQuantiserPriority = 20;

/// Why a weight stays in floats of 32 bits where settings ask for integers or for 16 bits: neither
/// holds its numbers, or scales would take what integers save. "" for others, and for weights that
/// are not loaded. `axis`: of channels, if there is one.
std::string unfit_reason(const ir::Tensor& weight, std::optional<int> axis,
                         const WeightSettings& settings);

/// An observer for each weight, activation and bias that settings quantise to integers, a cast for
/// weights of 16 bits. Weights of Format::q4_0 are the pass `quantise-q4_0`'s.
/// `report` hears of weights that 16 bits, or a step of integers, cannot hold. What the model
/// rounds itself is left as it is (existing_qparams.h).   Errors: `unsupported-argument` for
/// weights that are to be integers and are NaN or infinite.
void add_quantisers(Insertions& insertions, const ir::Graph& graph, const Settings& settings,
                    const Report& report);

}  // namespace t2n::compress
