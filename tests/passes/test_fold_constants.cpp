// SPDX-License-Identifier: Apache-2.0
// What is folded: the rule of sizes, views, sharing, and what never folds.
#include <doctest/doctest.h>

#include <algorithm>

#include "tests/passes/support.h"

namespace t2n::passes {
namespace {

using ir::Node;
using ir::Tensor;

Tensor transposed(Tensor tensor) {
  std::reverse(tensor.shape.begin(), tensor.shape.end());
  std::reverse(tensor.strides.begin(), tensor.strides.end());
  return tensor;
}

/// Knows `double` (twice the values), `widened` (to f32), `t` (a view) and `full` (zeros, no
/// operand).
std::vector<Tensor> evaluate(const Node& node, const ir::Operand& operand) {
  const std::string_view word = ir::op_short_name(node.op);
  if (word == "full") {
    ir::Ints size = ir::static_shape(std::get<ir::Shape>(*node.find("size")));
    return {ir::allocate(ir::DType::f32, size).tensor};
  }
  const Tensor self = operand(std::get<ir::TensorRef>(*node.find("self")).id);
  if (word == "t") return {transposed(self)};
  std::vector<double> values = ir::to_f64(self);
  if (word == "widened") return {ir::tensor_of(ir::DType::f32, self.shape, values)};
  REQUIRE(word == "double");
  for (double& value : values) value *= 2;
  return {ir::tensor_of(ir::DType::f32, self.shape, values)};
}

PassContext context() {
  PassContext out;
  out.evaluate = evaluate;
  return out;
}

std::string folded(std::string_view text) { return after("fold-constants", text, context()); }

TEST_CASE("chains of constants become one, named after the value") {
  CHECK(folded(R"(graph m(%x: f32[2]) -> (%y as "y") {
    const %c: f32[2] = {1.0, 2.0}
    %a: f32[2] = test::double(self=%c)
    %b: f32[2] = test::double(self=%a)
    %y: f32[2] = aten::add.Tensor(self=%x, other=%b, alpha=1)
  })") == R"(graph m(%x: f32[2]) -> (%y as "y") {
  const %b: f32[2] = {4.0, 8.0}
  %y: f32[2] = aten::add.Tensor(self=%x, other=%b, alpha=1) as add_0
}
)");
}

TEST_CASE("equal small results are shared") {
  CHECK(folded(R"(graph m() -> (%a as "a", %b as "b") {
    const %c: f32[] = {1.0}
    const %d: f32[] = {1.0}
    %a: f32[] = test::double(self=%c)
    %b: f32[] = test::double(self=%d)
  })") == R"(graph m() -> (%a as "a", %a as "b") {
  const %a: f32[] = {2.0}
}
)");
}

TEST_CASE("small factories fold, large ones stay") {
  CHECK(folded(R"(graph m() -> (%a as "a", %b as "b") {
    %a: f32[2] = aten::full(size=[2])
    %b: f32[4096,4096] = aten::full(size=[4096, 4096])
  })") == R"(graph m() -> (%a as "a", %b as "b") {
  const %a: f32[2] = {0.0, 0.0}
  %b: f32[4096,4096] = aten::full(size=[4096, 4096]) as full_1
}
)");
}

TEST_CASE("random, stateful, training, symbolic and unloaded operands are not folded") {
  check_unchanged("fold-constants", R"(graph m(%x: f32[1]) -> (%a as "a") {
    const %c: f32[1] = {1.0}
    const %w: f32[99] = bytes=396
    %a: f32[1] = aten::rand_like(self=%c)
    %b: f32[1] = aten::empty_like(self=%c)
    %d: f32[1] = test::double(self=%c, train=true)
    %e: f32[1] = test::double(self=%c, dropout_p=0.5)
    %f: f32[1] = test::double(self=%c, size=[S])
    %g: f32[S] = test::double(self=%c)
    %h: f32[99] = test::double(self=%w)
    %i: f32[1] = test::double(self=%x)
  })",
                  context());
}

TEST_CASE("a result of another dtype than recorded waits for explicit-promotion") {
  check_unchanged("fold-constants", R"(graph m() -> (%a as "a") {
    const %c: f32[1] = {1.0}
    %a: f16[1] = test::double(self=%c)
  })",
                  context());
}

TEST_CASE("without an evaluator nothing folds") {
  check_unchanged("fold-constants", R"(graph m() -> (%a as "a") {
    %a: f32[2] = aten::full(size=[2])
  })");
}

/// A weight of 128 KiB read by `uses`.
ir::Graph with_weight(std::string_view uses) {
  ir::Graph graph = ir::parse(cat("graph m() -> (%a as \"a\", %b as \"b\") {\n",
                                  "const %w: f32[128,256] = bytes=131072\n", uses, "}"));
  graph.constants[0].data = ir::allocate(ir::DType::f32, {128, 256}).tensor;
  return graph;
}

size_t operations_left(ir::Graph graph) {
  run_pipeline(graph, {"fold-constants"}, context());
  return graph.nodes.size();
}

TEST_CASE("a large result folds if what it replaces is no longer needed") {
  CHECK(operations_left(with_weight("%a: f32[128,256] = test::double(self=%w)\n"
                                    "%b: f32[128,256] = test::double(self=%a)\n")) == 1);
  CHECK(operations_left(with_weight("%a: f32[128,256] = test::double(self=%w)\n"
                                    "%b: f32[128,256] = test::double(self=%w)\n")) == 2);
}

TEST_CASE("a large view folds if its base dies by it, and copies nothing") {
  ir::Graph graph = with_weight(
      "%a: f32[256,128] = test::t(self=%w)\n"
      "%b: f32[128,256] = test::t(self=%a)\n");
  const std::byte* bytes = graph.constants[0].data.bytes.data();
  CHECK(run_pipeline(graph, {"fold-constants"}, context()));
  REQUIRE(graph.constants.size() == 1);
  CHECK(graph.constants[0].data.bytes.data() == bytes);
  CHECK(graph.constants[0].data.strides == ir::Ints{1, 256});
}

TEST_CASE("a large view of a weight that stays would be stored twice") {
  CHECK(operations_left(with_weight("%a: f32[256,128] = test::t(self=%w)\n"
                                    "%b: f32[128,256] = test::double(self=%w)\n")) == 2);
}

TEST_CASE("arithmetic on integers of 8 bits stays, unless it is small") {
  for (const int64_t rows : {10, 11}) {
    const std::string shape = cat("[", rows, ",100]");
    ir::Graph graph =
        ir::parse(cat("graph m() -> (%a as \"a\") {\nconst %w: i8", shape, " = bytes=", rows * 100,
                      "\n%a: f32", shape, " = test::widened(self=%w)\n}"));
    graph.constants[0].data = ir::allocate(ir::DType::i8, {rows, 100}).tensor;
    CHECK(operations_left(graph) == (rows == 11 ? 1 : 0));
  }
}

TEST_CASE("observers stay: ours wait for a pass, torch's write to their operands") {
  check_unchanged("fold-constants", R"(graph m() -> (%a as "a", %b as "b") {
    const %w: f32[2] = {1.0, 2.0}
    %a: f32[2] = t2n::observe(self=%w)
    %b: f32[2] = aten::fused_moving_avg_obs_fake_quant(self=%w)
  })",
                  context());
}

}  // namespace
}  // namespace t2n::passes
