// SPDX-License-Identifier: Apache-2.0
#include "src/translate/packed.h"

#include <algorithm>

#include "src/tract_forms/packed.h"
#include "src/translate/emitter_state.h"

namespace t2n::ops {

Ref unpacked(Emitter& out, Ref packed, DType dtype, const Shape& shape) {
  Emitter::State& state = out.state();
  const std::vector<ir::ValueId>& outputs = state.graph.outputs;
  if (std::find(outputs.begin(), outputs.end(), state.node->outputs.at(0)) != outputs.end())
    tract_forms::refuse_packed_in(state, "the outputs");
  return state.write_blocks(packed, dtype, shape);
}

bool is_q4_0(Emitter& out, Ref ref) { return out.state().at(ref).is_q4_0; }

}  // namespace t2n::ops
