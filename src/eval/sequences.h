// Recurrent layers over padded sequences with lengths (t2n::lstm.padded etc.), computed by torch's
// layers over packed ones.
#pragma once

#include <vector>

#include "ir/evaluator.h"

namespace t2n::eval {

/// Whether the node is one of these, t2n::sequence_lengths or t2n::batch_sizes.
bool is_of_sequences(const ir::Node& node);
/// Errors: `forward-failed` for lengths that torch refuses.
std::vector<ir::Tensor> run_sequences(const ir::Node& node, const ir::Operand& operand);

}  // namespace t2n::eval
