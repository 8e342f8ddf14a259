// SPDX-License-Identifier: Apache-2.0
// Rotary position embeddings, recognised by the pass canonical-rope.
#include "ops/layers/families.h"
#include "ops/structure/product.h"
#include "src/translate/registry.h"

namespace t2n::ops {
namespace {

/// self * cos + cat([-second half, first half]) * sin; the tables get the rank of self.
void apply_rope(const OpView& op, Emitter& out) {
  const Ref x = op.tensor("self");
  const int rank = out.rank(x);
  const Ref cos = with_rank(out, op.tensor("cos"), rank),
            sin = with_rank(out, op.tensor("sin"), rank);
  out.result(op.nnef(), {x, cos, sin});
}

}  // namespace

void register_rope(Registry& r) {
  r.elementwise({.op = "t2n::apply_rope",
                 .doc = "self * cos + cat([-self[.., d/2:], self[.., :d/2]], -1) * sin",
                 .variants = {{has(Feature::transformers_apply_rope),
                               "tract_transformers_apply_rope", apply_rope}}});
}

}  // namespace t2n::ops
