// SPDX-License-Identifier: Apache-2.0
#include "src/complex/passes.h"

namespace t2n::complex {

std::vector<passes::PassInfo> pass_rows() {
  return {{"complex-to-pairs", "replaces complex tensors by real ones with a last axis of two",
           complex_to_pairs}};
}

}  // namespace t2n::complex
