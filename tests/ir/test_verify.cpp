// SPDX-License-Identifier: Apache-2.0
// One broken graph per invariant.
#include <doctest/doctest.h>

#include "tests/ir/support.h"

namespace t2n::ir {
namespace {

Graph valid() {
  return parse(R"(graph m(%x: f32[2]) -> (%z as "output_0") {
    const %c: f32[2] = {1.0, 2.0}
    @Net/ReLU[act]:
    %y: f32[2] = aten::relu(self=%x) !0
    %z: f32[2] = aten::add.Tensor(self=%y, other=%c, alpha=1)
    source !0 = model.py:7 | "relu x" ^0+4
  })");
}

std::string problem(const Graph& graph) {
  return diagnostic_of([&] { verify(graph, "a-pass"); }).message;
}

TEST_CASE("a valid graph passes") { CHECK_NOTHROW(verify(valid(), "parse")); }

TEST_CASE("a failure says where, and after what") {
  Graph graph = valid();
  graph.nodes[0].args[0].value = TensorRef{3};
  CHECK(render_text(diagnostic_of([&] { verify(graph, "dead-code"); })) ==
        "error[ir-invalid]: Net/ReLU[act]/relu_0: '%z' is used before it is defined\n"
        "  --> act (ReLU), model.py:7\n"
        "   |  relu x\n"
        "   |  ^^^^\n"
        "  why:  found after 'dead-code', which must leave a valid graph\n"
        "  help: this is a bug in t2nnef: please report it with the command you ran\n");
}

TEST_CASE("names are letters, digits, dots and colons, and start with a letter") {
  const auto with = [](const char* word) {
    Graph graph = valid();
    graph.values[0].shape = {Dim::symbol(word)};
    return graph;
  };
  for (const char* word : {"a", "z", "A", "Z", "_", "a0", "a9", "Sz", "SZ", "a._", "a:a"})
    CHECK_NOTHROW(verify(with(word), "parse"));
  for (const char* word : {"9", ".a", "a/", "a;", "a@", "a[", "a`", "a{", "a-"})
    CHECK_NE(problem(with(word)).find("not an identifier"), std::string::npos);
}

struct BrokenGraph {
  std::string problem;
  void (*damage)(Graph& graph);
};

/// Values: 0 x, 1 c, 2 y, 3 z.
const std::vector<BrokenGraph> kBrokenGraphs = {
    {"graph 'm': a value has no name", [](Graph& g) { g.values[0].name = ""; }},
    {"graph 'm': two values are called '%x'", [](Graph& g) { g.values[2].name = "x"; }},
    {"graph 'm': '%x' has the size -1", [](Graph& g) { g.values[0].shape = {-1}; }},
    {"graph 'm': '%x' has a size with the symbol 'a b', which is not an identifier",
     [](Graph& g) { g.values[0].shape = {Dim::symbol("a b")}; }},
    {"graph 'm': '%c' is f16 but its data are f32",
     [](Graph& g) { g.values[1].dtype = DType::f16; }},
    {"graph 'm': '%c' is [3] but its data are [2]", [](Graph& g) { g.values[1].shape = {3}; }},
    {"graph 'm': '%c' has 0 strides for 1 axes",
     [](Graph& g) { g.constants[0].data.strides = {}; }},
    {"graph 'm': '%c' has a negative stride", [](Graph& g) { g.constants[0].data.strides = {-1}; }},
    {"graph 'm': '%c' has 8 bytes but needs 12",
     [](Graph& g) { g.constants[0].data.strides = {2}; }},
    {"graph 'm': '%c' is defined twice", [](Graph& g) { g.constants.push_back(g.constants[0]); }},
    {"graph 'm': there is no value 9", [](Graph& g) { g.inputs.push_back(9); }},
    {"graph 'm': nothing defines '%w'",
     [](Graph& g) { add_value(g, {.name = "w", .dtype = DType::f32, .shape = {}, .quant = {}}); }},
    {"graph 'm': '%x' has 2 scales and 1 zero points",
     [](Graph& g) {
       g.values[0].quant = QuantInfo{.scales = {1, 1}, .zero_points = {0}};
     }},
    {"graph 'm': '%x' has 3 scales along an axis of size 2",
     [](Graph& g) {
       g.values[0].quant = QuantInfo{.scales = {1, 1, 1}, .zero_points = {0, 0, 0}};
     }},
    {"graph 'm': '%x' has no quantisation axis 1",
     [](Graph& g) {
       g.values[0].quant = QuantInfo{{1, 1}, {0, 0}, 1};
     }},
    {"graph 'm': '%x' has 0 bits",
     [](Graph& g) {
       g.values[0].quant = QuantInfo{{1}, {0}, 0, 0};
     }},
    {"graph 'm': scope 0 must be the root", [](Graph& g) { g.scopes.clear(); }},
    {"graph 'm': scope 1 has the parent 1, which does not come before it",
     [](Graph& g) { g.scopes[1].parent = 1; }},
    {"graph 'm': a source has a negative caret", [](Graph& g) { g.sources[0].caret = -1; }},
    {"graph 'm': a node has the scope 5", [](Graph& g) { g.nodes[1].scope = 5; }},
    {"graph 'm': a node has the source 5", [](Graph& g) { g.nodes[1].source = 5; }},
    {"graph 'm': a node has the operation -1", [](Graph& g) { g.nodes[0].op = -1; }},
    {"Net/ReLU[act]/relu_0: the operation has no output",
     [](Graph& g) { g.nodes[0].outputs.clear(); }},
    {"Net/ReLU[act]/relu_-1: the call number is -1", [](Graph& g) { g.nodes[0].call = -1; }},
    {"Net/ReLU[act]/add_0: '%y' is defined twice",
     [](Graph& g) { g.nodes[1].outputs.push_back(2); }},
    {"Net/ReLU[act]/add_0: argument 0 has no name", [](Graph& g) { g.nodes[1].args[0].name = ""; }},
    {"Net/ReLU[act]/add_0: two arguments are called 'self'",
     [](Graph& g) { g.nodes[1].args[1].name = "self"; }},
    {"Net/ReLU[act]/add_0: there is no value 99",
     [](Graph& g) {
       g.nodes[1].args[1].value = TensorRefs{{0, 99}};
     }},
    {"Net/ReLU[act]/add_0: only t2n::scan has a body",
     [](Graph& g) { g.nodes[1].body = std::make_shared<Graph>(); }},
    {"Net/ReLU[act]/scan_0: the scan has no body",
     [](Graph& g) { g.nodes[0].op = op_id("t2n::scan"); }},
    {"graph 'inner': two outputs are called 'a'",
     [](Graph& g) {
       g.nodes[0].op = op_id("t2n::scan");
       g.nodes[0].body = std::make_shared<Graph>(
           parse("graph inner(%x: f32[2]) -> (%x as \"a\", %x as \"a\") {}"));
     }},
    {"graph 'm': 1 outputs have 0 names", [](Graph& g) { g.output_names.clear(); }},
    {"graph 'm': an output has no name", [](Graph& g) { g.output_names[0] = ""; }},
};

TEST_CASE("every invariant is checked") {
  for (const BrokenGraph& broken : kBrokenGraphs) {
    Graph graph = valid();
    broken.damage(graph);
    CHECK(problem(graph) == broken.problem);
  }
}

TEST_CASE("data that are not loaded, or empty, are valid") {
  CHECK_NOTHROW(verify(
      parse("graph m() -> () { const %a: f32[9] = bytes=36 const %b: f32[0,2] = {} }"), "parse"));
}

TEST_CASE("a view that repeats values is valid data") {
  Graph graph;
  Tensor data = scalar_tensor(1.0, DType::f32);
  data.shape = {1000, 1000};
  data.strides = {0, 0};
  add_constant(graph, "ones", data);
  CHECK_NOTHROW(verify(graph, "test"));
}

TEST_CASE("50,000 operations verify") { CHECK_NOTHROW(verify(relu_chain(50'000), "test")); }

}  // namespace
}  // namespace t2n::ir
