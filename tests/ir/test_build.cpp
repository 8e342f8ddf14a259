// SPDX-License-Identifier: Apache-2.0
// Building a graph, looking things up in it, operation names and their columns.
#include <doctest/doctest.h>

#include "ir/evaluator.h"
#include "ir/op_table.h"
#include "ir/op_traits.h"
#include "tests/ir/support.h"

namespace t2n::ir {
namespace {

TEST_CASE("operation names are interned") {
  const OpId relu = op_id("aten::relu");
  CHECK(op_id("aten::relu") == relu);
  CHECK(op_id("aten::relu_") != relu);
  CHECK(op_name(relu) == "aten::relu");
  CHECK(relu < op_count());
}

TEST_CASE("words leave out namespace, overload, in-place and private forms") {
  CHECK(op_short_name("aten::add.Tensor") == "add");
  CHECK(op_short_name("aten::relu_") == "relu");
  CHECK(op_short_name("aten::_convolution.deprecated") == "conv2d");
  CHECK(op_short_name("aten::_softmax") == "softmax");
  CHECK(op_short_name("aten::__and__.Scalar") == "bitwise_and");
  CHECK(op_short_name("quantized::conv2d_relu.new") == "conv2d_relu");
  CHECK(op_short_name("t2n::cast") == "cast");
}

TEST_CASE("randomness is known for every overload") {
  for (const char* name : {"aten::rand", "aten::randn.generator", "aten::bernoulli_.float",
                           "aten::normal.Tensor_Tensor", "aten::dropout", "aten::randperm"})
    CHECK(is_random(op_id(name)));
  CHECK_FALSE(is_random(op_id("aten::relu")));
  CHECK_FALSE(is_random(op_id("aten::empty.memory_format")));
  CHECK(is_unpredictable(op_id("aten::empty.memory_format")));
  CHECK_FALSE(is_unpredictable(op_id("aten::zeros")));
}

TEST_CASE("traits are looked up by the table's form of a name") {
  CHECK(has_trait("aten::view.dtype", OpTrait::reads_bits));
  CHECK_FALSE(has_trait("aten::view", OpTrait::reads_bits));
  CHECK(has_trait("aten::masked_fill_", OpTrait::reads_no_size));
  CHECK(has_trait("isnan", OpTrait::predicate));
  CHECK_FALSE(has_trait("test::isnan", OpTrait::predicate));
}

TEST_CASE("a fact is found under its own name, then under that of all overloads") {
  OpTable table;
  table.set("test::b", 1, "a.cpp:1");
  table.set("test::b.out", 2, "a.cpp:2");
  table.set("test::a.Tensor", std::string("another column"), "a.cpp:3");
  CHECK(*table.exact<int>(op_id("test::b")) == 1);
  CHECK(table.exact<int>(op_id("test::b.Tensor")) == nullptr);
  CHECK(*table.find<int>(op_id("test::b.Tensor")) == 1);
  CHECK(*table.find<int>(op_id("test::b.out")) == 2);
  CHECK(table.find<int>(op_id("test::a.Tensor")) == nullptr);
  CHECK(table.find<double>(op_id("test::b")) == nullptr);
  CHECK(table.ops<int>() == std::vector<OpId>{op_id("test::b"), op_id("test::b.out")});
}

TEST_CASE("a second fact in a column names both places") {
  OpTable table;
  table.set("test::column", 1, "a.cpp:1");
  const Diagnostic diagnostic = diagnostic_of([&] { table.set("test::column", 2, "b.cpp:2"); });
  CHECK(diagnostic.message.find("test::column has two entries: a.cpp:1 and b.cpp:2") !=
        std::string::npos);
}

TEST_CASE("equal scopes and sources get equal ids") {
  Graph graph;
  const ScopeId a = add_scope(graph, 0, "Conv2d", "conv1");
  CHECK(add_scope(graph, 0, "Conv2d", "conv2") != a);
  CHECK(add_scope(graph, 0, "Conv2d", "conv1") == a);
  CHECK(add_scope(graph, a, "Conv2d", "conv1") != a);
  const SourceId one = add_source(graph, at_line(1));
  CHECK(add_source(graph, at_line(2)) != one);
  CHECK(add_source(graph, at_line(1)) == one);
}

TEST_CASE("scopes that were added by hand are found too") {
  Graph graph;
  graph.scopes.push_back({0, "Linear", "fc"});
  CHECK(add_scope(graph, 0, "Linear", "fc") == 1);
}

TEST_CASE("addresses and paths") {
  const Graph graph = parse(R"(graph m(%x: f32[1]) -> () {
    @ResNet/Sequential[layer1]/Conv2d[0]:
    %y: f32[1] = aten::_convolution(self=%x) as conv2d_2 !0
    source !0 = model.py:88:16 | "conv x" ^0+4
  })");
  const Node& node = graph.nodes[0];
  CHECK(module_path(graph, node.scope) == "layer1.0");
  CHECK(scope_address(graph, node.scope) == "ResNet/Sequential[layer1]/Conv2d[0]");
  CHECK(node_address(graph, node) == "ResNet/Sequential[layer1]/Conv2d[0]/conv2d_2");
  CHECK(render_where(node_where(graph, node)) == "layer1.0 (Conv2d), model.py:88:16");
  CHECK(node_where(graph, node).excerpt == "conv x");
}

TEST_CASE("producers, constants and uses by value") {
  const Graph graph = parse(R"(graph m(%x: f32[1]) -> (%y as "a", %y as "b") {
    const %c: f32[1] = {1.0}
    %y: f32[1] = test::op(many=[%x, none, %x], one=%c)
  })");
  CHECK(producers(graph) == std::vector<int>{-1, -1, 0});
  CHECK(constant_index(graph) == std::vector<int>{-1, 0, -1});
  CHECK(use_counts(graph) == std::vector<int>{2, 1, 2});
}

TEST_CASE("run_graph frees values after their last use") {
  const Graph graph = relu_chain(3);
  std::vector<std::weak_ptr<const void>> owners;
  const auto evaluate = [&](const Node& node, const Operand& operand) {
    const Tensor in = operand(std::get<TensorRef>(*node.find("self")).id);
    int alive = 0;
    for (const auto& owner : owners) alive += owner.expired() ? 0 : 1;
    CHECK(alive <= 1);
    Tensor out = scalar_tensor(element_f64(in, 0) + 1.0, DType::f32);
    owners.push_back(out.owner);
    return std::vector<Tensor>{out};
  };
  const auto outputs = run_graph(graph, {scalar_tensor(1.0, DType::f32)}, evaluate);
  REQUIRE(outputs.size() == 1);
  CHECK(element_f64(outputs[0], 0) == 4.0);
}

TEST_CASE("run_graph returns constants and inputs that are outputs, twice if asked") {
  const Graph graph = parse(R"(graph m(%x: f32[]) -> (%x as "a", %c as "b", %c as "c") {
    const %c: f32[] = {2.0}
  })");
  const auto outputs = run_graph(graph, {scalar_tensor(1.0, DType::f32)}, {});
  REQUIRE(outputs.size() == 3);
  CHECK(element_f64(outputs[0], 0) == 1.0);
  CHECK(element_f64(outputs[2], 0) == 2.0);
}

TEST_CASE("the tensor operand of a name, where there is one") {
  const Graph graph = parse(R"(graph m(%x: f32[2], %w: f32[2,2]) -> (%y as "y") {
    %y: f32[2] = aten::linear(input=%x, weight=%w, bias=none)
  })");
  const Node& node = graph.nodes.at(0);
  CHECK(operand(node, "input") == graph.inputs.at(0));
  CHECK(operand(node, "weight") == graph.inputs.at(1));
  CHECK(operand(node, "bias") == kNoValue);
  CHECK(operand(node, "other") == kNoValue);
}

}  // namespace
}  // namespace t2n::ir
