// The reference outputs of a check: LibTorch's own executor, compared with our own run.
#pragma once

#include <string>
#include <vector>

#include "src/model/torch_module.h"

namespace t2n {

/// The result of LibTorch, if our own run of the model gives the same.
struct Agreement {
  std::vector<ir::Tensor> expected;
  trace::Executor executor = trace::Executor::torch;  ///< gave the outputs
  /// "LibTorch's executor; t2nnef's own run gives the same, bit for bit"
  std::string words;
};

/// Whether a value has 16-bit floats, for which torch has kernels of its own.
bool has_halves(const ir::Graph& graph);

/// Runs the model in LibTorch's own executor on the inputs of a trace, whose outputs must be equal
/// bit for bit. Errors: `trace-differs`; `forward-failed` if LibTorch refuses what our run
/// accepted.
Agreement agree_with_torch(trace::Session& session, const std::vector<trace::SampleInput>& inputs,
                           const trace::Traced& traced);

}  // namespace t2n
