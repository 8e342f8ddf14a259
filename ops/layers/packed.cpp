// SPDX-License-Identifier: Apache-2.0
// Weights as Q4_0 blocks, which the engine unpacks during multiplication.
#include "src/translate/packed.h"

#include "ops/layers/families.h"
#include "src/translate/registry.h"

namespace t2n::ops {
namespace {

void dequantise(const OpView& op, Emitter& out) {
  op.ignore_all({"shape", "dtype"}, "the result's show them");
  out.result(unpacked(out, op.tensor("self"), op.dtype(), op.shape()));
}

Shapes dequantised_shapes(const ShapeView& op) { return {op.dims("shape")}; }

}  // namespace

void register_packed(Registry& r) {
  r.add({.op = "t2n::dequantise_q4_0",
         .doc = "(q - 8) * d of 4-bit codes q, with a scale d for each 32 of a row",
         .variants = {{has(Feature::q4_0), "variable", dequantise}},
         .limits = "weights of linear layers, embeddings and convolutions that mix channels only"});
  r.shapes(dequantised_shapes, "t2n::dequantise_q4_0");
}

}  // namespace t2n::ops
