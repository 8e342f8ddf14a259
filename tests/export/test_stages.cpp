// SPDX-License-Identifier: Apache-2.0
// What export and opt give to passes.
#include <doctest/doctest.h>

#include "ir/scan.h"
#include "src/export/stages.h"

namespace t2n::test {
namespace {

TEST_CASE("passes hear what a target has: strict NNEF has no loops") {
  const auto has = [](const char* target, std::string_view op) {
    return pass_context(target::parse_target(target), {}).native.contains(ir::op_id(op));
  };
  CHECK(has("tract", ir::kScanOp));
  CHECK_FALSE(has("khronos", ir::kScanOp));
  CHECK(has("tract", "aten::relu"));
  CHECK(has("khronos", "aten::relu"));
  CHECK(has("tract", "aten::silu"));
  CHECK_FALSE(has("tract", "aten::nothing_of_the_kind"));
}

}  // namespace
}  // namespace t2n::test
