// SPDX-License-Identifier: Apache-2.0
// Tensors as samples of a model's inputs.
#pragma once

#include <vector>

#include "src/diag/error.h"
#include "src/model/model.h"

namespace t2n::test {

/// The first is "input_0", the next "input_1".
inline std::vector<trace::SampleInput> named(const std::vector<ir::Tensor>& inputs) {
  std::vector<trace::SampleInput> out;
  for (size_t i = 0; i < inputs.size(); ++i) out.push_back({{cat("input_", i)}, inputs[i]});
  return out;
}

}  // namespace t2n::test
