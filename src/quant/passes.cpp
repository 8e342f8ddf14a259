// SPDX-License-Identifier: Apache-2.0
#include "src/quant/passes.h"

namespace t2n::quant {

std::vector<passes::PassInfo> pass_rows() {
  return {{"expand-quantised", "replaces quantised tensors by plain operations", expand_quantised}};
}

}  // namespace t2n::quant
