// SPDX-License-Identifier: Apache-2.0
// Fourier transforms on pairs of floats (t2n::fft_…, t2n::stft), computed with torch's.
#pragma once

#include <vector>

#include "ir/evaluator.h"

namespace t2n::eval {

/// True for these transforms.
bool is_transform(const ir::Node& node);
std::vector<ir::Tensor> transform(const ir::Node& node, const ir::Operand& operand);

}  // namespace t2n::eval
