// SPDX-License-Identifier: Apache-2.0
// Which symbols become sizes, and where.
#include <doctest/doctest.h>

#include "tests/passes/support.h"

namespace t2n::passes {
namespace {

constexpr std::string_view kSymbolsText = R"(graph m(%x: f32[B,S]) -> (%y as "y") {
    attribute sample_sizes: sizes = B=2, S=7
    %y: f32[B,S // 2,2] = aten::view(self=%x, size=[B, S // 2, 2], other=B*S)
  })";

TEST_CASE("symbols become sizes in shapes and arguments") {
  CHECK(after("bind-sizes", kSymbolsText) == R"(graph m(%x: f32[2,7]) -> (%y as "y") {
  %y: f32[2,3,2] = aten::view(self=%x, size=[2, 3, 2], other=14) as view_0
}
)");
}

TEST_CASE("dynamic symbols stay") {
  PassContext context;
  context.keeps_symbol = [](const ir::Symbol& symbol) { return symbol == "B"; };
  CHECK(after("bind-sizes", kSymbolsText, context) == R"(graph m(%x: f32[B,7]) -> (%y as "y") {
  attribute sample_sizes: sizes = B=2
  %y: f32[B,3,2] = aten::view(self=%x, size=[B, 3, 2], other=7*B) as view_0
}
)");
}

TEST_CASE("nested graphs share the symbols") {
  CHECK(after("bind-sizes", R"(graph m(%x: f32[S,T]) -> (%y as "y") {
    attribute sample_sizes: sizes = S=7, T=3
    %y: f32[S,T] = t2n::scan(length=S, scanned=[%x], scanned_axes=[0], scanned_reversed=[false], initial=tensors[], captured=tensors[], stacked_axes=[0], stacked_reversed=[false]) body graph step(%t: i64[], %x: f32[T]) -> (%x as "x") {}
  })")
            .find("graph step(%t: i64[], %x: f32[3]) -> (%x as \"x\") {\n  }") !=
        std::string::npos);
}

TEST_CASE("without symbols nothing happens") {
  check_unchanged("bind-sizes", R"(graph m(%x: f32[S]) -> (%x as "y") {})");
}

}  // namespace
}  // namespace t2n::passes
