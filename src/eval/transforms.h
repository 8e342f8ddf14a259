// Our Fourier transforms of pairs (t2n::fft_…, t2n::stft), computed by torch's.
#pragma once

#include <vector>

#include "ir/evaluator.h"

namespace t2n::eval {

/// Whether the node is one of them.
bool is_transform(const ir::Node& node);
std::vector<ir::Tensor> transform(const ir::Node& node, const ir::Operand& operand);

}  // namespace t2n::eval
