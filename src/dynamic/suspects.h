// SPDX-License-Identifier: Apache-2.0
// Finds literals that are probably sizes of the sample, fixed when the model was traced.
#pragma once

#include "src/diag/sink.h"
#include "src/dynamic/axes.h"

namespace t2n::dynamic {

/// Warns (`dynamic-suspect`) of literals that equal the sample's size of an axis that they are used
/// with, and of outputs with that size as a fixed extent; notes symbols that appear in no output.
/// `graph` has expressions as sizes.
void report_suspects(const ir::Graph& graph, const Sizes& sample, const Report& report);

}  // namespace t2n::dynamic
