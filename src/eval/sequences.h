// SPDX-License-Identifier: Apache-2.0
// Recurrent layers over padded sequences with lengths (t2n::lstm.padded etc.), computed with
// torch's layers over packed sequences.
#pragma once

#include <vector>

#include "ir/evaluator.h"

namespace t2n::eval {

/// True for these layers, t2n::sequence_lengths and t2n::batch_sizes.
bool is_sequence_op(const ir::Node& node);
/// Errors: `forward-failed` for lengths that torch rejects.
std::vector<ir::Tensor> run_sequences(const ir::Node& node, const ir::Operand& operand);

}  // namespace t2n::eval
