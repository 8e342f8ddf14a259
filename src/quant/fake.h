// Scales and zero points that LibTorch's fused observer chooses by what it has seen.
#pragma once

#include <cstdint>
#include <vector>

namespace t2n::quant {

struct Steps {
  std::vector<double> scales;
  std::vector<double> zero_points;
};

/// As quant_utils::ChooseQuantizationParams does, for each least and greatest element.
Steps chosen_steps(const std::vector<double>& least, const std::vector<double>& greatest,
                   int64_t low, int64_t high, bool is_symmetric);

}  // namespace t2n::quant
