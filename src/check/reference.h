// SPDX-License-Identifier: Apache-2.0
// Computes the reference outputs of a check in LibTorch's executor, and compares them with our run.
#pragma once

#include <string>
#include <vector>

#include "src/model/torch_module.h"

namespace t2n {

/// The outputs of LibTorch, which equal those of our own run.
struct Agreement {
  std::vector<ir::Tensor> expected;
  trace::Executor executor = trace::Executor::torch;  ///< gave the outputs
  /// "LibTorch's executor; t2nnef's own run gives the same, bit for bit"
  std::string description;
};

/// Whether a value has 16-bit floats, for which torch has special kernels.
bool has_halves(const ir::Graph& graph);

/// Runs the model in LibTorch's own executor on the inputs of a trace, whose outputs must be equal
/// bit for bit. Errors: `trace-differs`; `forward-failed` if LibTorch rejects what our run
/// accepts.
Agreement agree_with_torch(trace::Session& session, const std::vector<trace::SampleInput>& inputs,
                           const trace::Traced& traced);

}  // namespace t2n
