// SPDX-License-Identifier: Apache-2.0
// The pass `lift-weights`: matrices of loops' bodies become constants of the graph around.
#include <doctest/doctest.h>

#include "src/diag/error.h"
#include "tests/passes/support.h"

namespace t2n::passes {
namespace {

/// A loop that multiplies its state with a matrix, which its body holds or captures.
std::string loop(bool is_lifted) {
  const std::string weight = "const %w: f32[2,2] = {1.0, 2.0, 3.0, 4.0}\n";
  return cat(
      R"(graph m(%x: f32[3,2], %h: f32[2]) -> (%last as "y") {
)",
      is_lifted ? "  " + weight : "",
      "  %last: f32[2] = t2n::scan(length=3, scanned=[%x], scanned_axes=[0], "
      "scanned_reversed=[false], initial=[%h], captured=",
      is_lifted ? "[%w]" : "tensors[]",
      R"(, stacked_axes=[], stacked_reversed=bools[]) as scan_0 body graph iteration(%t: i64[], %v: f32[2], %s: f32[2])",
      is_lifted ? ", %w: f32[2,2]" : "", ") -> (%n as \"h\") {\n", is_lifted ? "" : "    " + weight,
      R"(    const %b: f32[2] = {1.0, 2.0}
    %p: f32[2] = aten::linear(input=%s, weight=%w, bias=%b) as linear_0
    %n: f32[2] = aten::add.Tensor(self=%p, other=%v, alpha=1) as add_0
  }
}
)");
}

TEST_CASE("matrices are captured from now on; vectors stay where they are") {
  const ir::Graph before = ir::parse(loop(false));
  CHECK(ir::print(before) == loop(false));
  CHECK(after("lift-weights", loop(false)) == loop(true));
  check_unchanged("lift-weights", loop(true));
}

}  // namespace
}  // namespace t2n::passes
