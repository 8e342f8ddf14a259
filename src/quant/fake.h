// SPDX-License-Identifier: Apache-2.0
// Scales and zero points that LibTorch's fused observer computes from its statistics.
#pragma once

#include <cstdint>
#include <vector>

namespace t2n::quant {

/// The parameters of an affine quantisation: one, or one per channel.
struct Affine {
  std::vector<double> scales;
  std::vector<double> zero_points;
};

/// quant_utils::ChooseQuantizationParams for each minimum and maximum.
Affine chosen_affine(const std::vector<double>& least, const std::vector<double>& greatest,
                     int64_t low, int64_t high, bool is_symmetric);

}  // namespace t2n::quant
