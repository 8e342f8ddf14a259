// SPDX-License-Identifier: Apache-2.0
// What goes and what stays.
#include <doctest/doctest.h>

#include "tests/passes/support.h"

namespace t2n::passes {
namespace {

TEST_CASE("operations that no output needs are removed, random or not; inputs stay") {
  CHECK(after("dead-code", R"(graph m(%x: f32[1], %unused: f32[1]) -> (%d as "y") {
    const %c: f32[] = {1.0}
    const %gone: f32[] = {2.0}
    %a: f32[1] = aten::relu(self=%x)
    %b: f32[1] = aten::add.Tensor(self=%a, other=%gone, alpha=1)
    %r: f32[1] = aten::rand_like(self=%b)
    %d: f32[1] = aten::add.Tensor(self=%a, other=%c, alpha=1)
  })") == R"(graph m(%x: f32[1], %unused: f32[1]) -> (%d as "y") {
  const %c: f32[] = {1.0}
  %a: f32[1] = aten::relu(self=%x) as relu_0
  %d: f32[1] = aten::add.Tensor(self=%a, other=%c, alpha=1) as add_1
}
)");
}

TEST_CASE("one live output keeps the others") {
  check_unchanged("dead-code", R"(graph m(%x: f32[2]) -> (%b as "y") {
    %a: f32[1], %b: f32[1] = aten::split.Tensor(self=%x, split_size=1, dim=0)
  })");
}

TEST_CASE("a tensor stays whose size an argument names") {
  check_unchanged("dead-code", R"(graph m(%x: f32[4]) -> (%y as "y") {
    %h: f32[4] = aten::relu(self=%x)
    %y: f32[4] = aten::reshape(self=%x, shape=[size.h.0])
  })");
}

TEST_CASE("nested graphs are cleaned too, in a copy of their own") {
  ir::Graph graph = ir::parse(R"(graph m(%x: f32[2]) -> (%y as "y") {
    %y: f32[2] = t2n::scan(length=2, scanned=[%x], scanned_axes=[0], scanned_reversed=[false], initial=tensors[], captured=tensors[], stacked_axes=[0], stacked_reversed=[false]) body graph step(%t: i64[], %x: f32[]) -> (%x as "x") {
      %gone: f32[] = aten::relu(self=%x)
    }
  })");
  const ir::Graph other = graph;
  CHECK(run_pipeline(graph, {"dead-code"}, {}));
  CHECK(graph.nodes[0].body->nodes.empty());
  CHECK(other.nodes[0].body->nodes.size() == 1);
}

TEST_CASE("a scan loses what it stacks, carries, scans and captures for nothing") {
  const std::string text =
      after("dead-code",
            R"(graph m(%x: f32[3,2], %h: f32[2], %c: f32[2], %w: f32[2]) -> (%last_c as "y") {
    %a: f32[3,2], %b: f32[3,2], %last_h: f32[2], %last_c: f32[2] = t2n::scan(length=3, scanned=[%x, %x], scanned_axes=[0, 0], scanned_reversed=[false, true], initial=[%h, %c], captured=[%w, %w], stacked_axes=[0, 0], stacked_reversed=[false, false]) body graph iteration(%t: i64[], %v: f32[2], %r: f32[2], %h: f32[2], %c: f32[2], %u: f32[2], %w: f32[2]) -> (%hn as "a", %q as "b", %hn as "h", %cn as "c") {
      %hn: f32[2] = aten::add.Tensor(self=%h, other=%v, alpha=1)
      %q: f32[2] = aten::mul.Tensor(self=%u, other=%v)
      %p: f32[2] = aten::mul.Tensor(self=%r, other=%w)
      %cn: f32[2] = aten::add.Tensor(self=%c, other=%p, alpha=1)
    }
  })");
  CHECK(text == R"(graph m(%x: f32[3,2], %h: f32[2], %c: f32[2], %w: f32[2]) -> (%last_c as "y") {
  %last_c: f32[2] = t2n::scan(length=3, scanned=[%x], scanned_axes=[0], scanned_reversed=[true], initial=[%c], captured=[%w], stacked_axes=[], stacked_reversed=bools[]) as scan_0 body graph iteration(%t: i64[], %r: f32[2], %c: f32[2], %w: f32[2]) -> (%cn as "c") {
    %p: f32[2] = aten::mul.Tensor(self=%r, other=%w) as mul_1
    %cn: f32[2] = aten::add.Tensor(self=%c, other=%p, alpha=1) as add_1
  }
}
)");
}

TEST_CASE("50,000 operations") {
  ir::Graph graph = ir::relu_chain(50'000);
  graph.outputs = {graph.nodes[24'999].outputs[0]};
  CHECK(run_pipeline(graph, {"dead-code"}, {}));
  CHECK(graph.nodes.size() == 25'000);
  CHECK(graph.values.size() == 25'001);
}

}  // namespace
}  // namespace t2n::passes
