// SPDX-License-Identifier: Apache-2.0
// Single operations that LibTorch runs for passes.
#include <doctest/doctest.h>

#include "ir/evaluator.h"
#include "ir/graph.h"
#include "src/model/torch_module.h"
#include "tests/support/example.h"

namespace t2n::test {

TEST_CASE("an operator that writes to its operands gets copies of them") {
  const ir::Graph graph = ir::parse(
      R"(graph m(%x: f32[2], %on: i64[1], %q: i64[1], %low: f32[1], %high: f32[1], %s: f32[1], %z: i32[1]) -> (%r as "y") {
  %r: f32[2] = aten::fused_moving_avg_obs_fake_quant(self=%x, observer_on=%on, fake_quant_on=%q, running_min=%low, running_max=%high, scale=%s, zero_point=%z, averaging_const=0.5, quant_min=0, quant_max=127, ch_axis=-1, per_row_fake_quant=false, symmetric_quant=false)
}
)");
  const ir::Tensor on = values({1}, {1}, ir::DType::i64), low = values({1}, {-1}),
                   high = values({1}, {1}), scale = values({1}, {1}),
                   zero = values({1}, {0}, ir::DType::i32);
  const auto out = ir::run_graph(graph, {values({2}, {-8, 8}), on, on, low, high, scale, zero},
                                 torch_module().evaluator());
  CHECK_NE(ir::element_f64(out.at(0), 1), 8);  // quantised with what was observed
  CHECK_EQ(ir::element_f64(low, 0), -1);
  CHECK_EQ(ir::element_f64(high, 0), 1);
  CHECK_EQ(ir::element_f64(scale, 0), 1);
}

}  // namespace t2n::test
