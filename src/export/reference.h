// The reference outputs of a check: LibTorch's own executor, and how our run compares with it.
#pragma once

#include <string>
#include <vector>

#include "src/model/torch_module.h"

namespace t2n {

/// What LibTorch computes, as far as our own run of the model is the same.
struct Agreement {
  std::vector<ir::Tensor> expected;
  trace::Executor executor = trace::Executor::torch;  ///< whose outputs they are
  /// "LibTorch's executor; t2nnef's own run gives the same, bit for bit"
  std::string words;
};

/// Runs the model in LibTorch's own executor on the inputs of a trace, which has to have met its
/// outputs bit for bit. Errors: `trace-differs`; `forward-failed` where LibTorch refuses what our
/// run took.
Agreement agree_with_torch(trace::Session& session, const std::vector<trace::SampleInput>& inputs,
                           const trace::Traced& traced);

}  // namespace t2n
