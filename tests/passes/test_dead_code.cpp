// What goes and what stays.
#include <doctest/doctest.h>

#include "tests/passes/support.h"

namespace t2n::passes {
namespace {

TEST_CASE("what no output needs goes, random or not; inputs stay") {
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

TEST_CASE("nested graphs are cleaned too, in a copy of their own") {
  ir::Graph graph = ir::parse(R"(graph m(%x: f32[2]) -> (%y as "y") {
    %y: f32[2] = t2n::scan(self=%x) body graph step(%x: f32[]) -> (%x as "x") {
      %gone: f32[] = aten::relu(self=%x)
    }
  })");
  const ir::Graph other = graph;
  CHECK(run_pipeline(graph, {"dead-code"}, {}));
  CHECK(graph.nodes[0].body->nodes.empty());
  CHECK(other.nodes[0].body->nodes.size() == 1);
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
