// SPDX-License-Identifier: Apache-2.0
// Measures how many quantised values are clipped.
#pragma once

#include <map>
#include <string>

#include "src/compress/calibrate/calibrate.h"

namespace t2n::compress {

/// The share of clipped elements, over all batches, by the name of the result of a quantiser or of
/// a fake quantiser with constant parameters. Constants are not counted.   Errors: those of the
/// evaluator.
std::map<std::string, double> clipped_shares(const ir::Graph& graph, const Batches& batches,
                                             const AtBatch& at_batch,
                                             const ir::Evaluator& evaluate);

}  // namespace t2n::compress
