// SPDX-License-Identifier: Apache-2.0
// Pictures of graphs and artefacts as data, and the texts of all formats.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "ir/graph.h"
#include "src/diag/error.h"
#include "src/nnef/artefact.h"
#include "src/picture/colors.h"
#include "src/picture/formats.h"
#include "src/picture/from_artefact.h"
#include "src/picture/from_graph.h"
#include "src/picture/levels.h"
#include "src/picture/picture.h"
#include "src/picture/statistics.h"
#include "tests/support/temporary.h"

namespace t2n::test {
namespace {

using picture::NodeKind;
using picture::Picture;
using Json = nlohmann::json;

const char* const kGraph = R"(graph Net(%x: f32[2,3]) -> (%act.relu as "y") {
  const %fc.weight: f32[3] = {1.0, 0.0, -2.0}

@Net/ModuleList[layers]/Linear[0]:
  %fc: f32[2,3] = aten::mul.Tensor(self=%x, other=%fc.weight) as mul_0 !0  # model.py:7
  %fc.abs: f32[2,3] = aten::abs(self=%fc) as abs_0 !0  # model.py:7

@Net/ModuleList[layers]/ReLU[1]:
  %act.relu: f32[2,3] = aten::relu(self=%fc.abs) as relu_0 !1  # model.py:8

  source !0 = model.py:7 in forward
  source !1 = model.py:8 in forward
}
)";

Picture graph_picture(const std::string& text = kGraph) {
  return picture::from_graph(ir::parse(text), "net.ir", "graph", {});
}

const picture::Node& node_of(const Picture& picture, const std::string& name, NodeKind kind) {
  const auto found = std::find_if(
      picture.nodes.begin(), picture.nodes.end(),
      [&](const picture::Node& node) { return node.name == name && node.kind == kind; });
  REQUIRE_MESSAGE(found != picture.nodes.end(), name);
  return *found;
}

void write(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

Picture artefact_picture(const std::string& statements, const std::string& head = "") {
  const TemporaryFolder folder;
  write(folder.path() / "net/graph.nnef", "version 1.0;\nextension tract_registry tract_core;\n" +
                                              head + "graph net(x) -> (y) {\n" + statements +
                                              "}\n");
  return picture::from_artefact(nnef::read_artefact(folder.path() / "net"), "net");
}

/// "" where Graphviz is not installed.
std::string svg_of(const Picture& picture) {
  try {
    return picture::svg(picture);
  } catch (const Error& error) {
    REQUIRE_EQ(error.diagnostic().id, "cannot-write");
    MESSAGE("skipped: ", error.what());
    return "";
  }
}

/// A graph of elementwise operations in one module.
std::string long_graph(size_t count) {
  std::string out =
      "graph Net(%x: f32[2]) -> (%v" + std::to_string(count - 1) + " as \"y\") {\n\n@Net:\n";
  for (size_t i = 0; i < count; ++i)
    out += "  %v" + std::to_string(i) + ": f32[2] = aten::relu(self=%" +
           (i == 0 ? "x" : "v" + std::to_string(i - 1)) + ") as relu_" + std::to_string(i) + "\n";
  return out + "}\n";
}

}  // namespace

TEST_CASE("a graph's picture has modules, types, lines, arguments and statistics") {
  const Picture picture = graph_picture();
  REQUIRE_EQ(picture.nodes.size(), 5);
  CHECK_EQ(picture.groups.at(0).name, "Net");
  CHECK_EQ(picture.groups.at(1).name, "layers");
  const picture::Node& mul = node_of(picture, "fc", NodeKind::layer);
  CHECK_EQ(picture.groups.at(mul.group).path, "layers.0");
  CHECK_EQ(picture.groups.at(mul.group).type, "Linear");
  CHECK_EQ(mul.results.at(0).type, "f32[2,3]");
  CHECK_EQ(mul.source.at(0).file, "model.py");
  CHECK_EQ(mul.source.at(0).line, 7);
  REQUIRE_EQ(mul.weights.size(), 1);
  CHECK_EQ(mul.weights[0].operand, "other");
  CHECK_EQ(mul.weights[0].name, "fc.weight");
  REQUIRE(mul.weights[0].statistics);
  CHECK_EQ(mul.weights[0].statistics->elements, 3);
  CHECK_EQ(mul.weights[0].statistics->zeros, 1);
  CHECK_EQ(mul.weights[0].statistics->min, -2);
  CHECK_EQ(node_of(picture, "x", NodeKind::input).results.at(0).type, "f32[2,3]");
  CHECK_EQ(node_of(picture, "y", NodeKind::output).group, 0);
  REQUIRE_EQ(picture.edges.size(), 4);
  // A module of one operation is no group.
  const picture::Node& relu = node_of(picture, "act.relu", NodeKind::other);
  CHECK_EQ(picture.groups.at(relu.group).path, "layers");
  CHECK_EQ(relu.module, "layers.1");
  CHECK_EQ(relu.module_class, "ReLU");
  CHECK_EQ(picture::inner_module(picture, relu), "1");
  CHECK_EQ(picture::inner_module(picture, mul), "");
}

TEST_CASE("statistics count what is not finite, and ignore it otherwise") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  const auto found = picture::statistics_of(
      ir::tensor_of<double>(ir::DType::f32, {7}, {nan, 1, 3, 0, -inf, inf, 4}));
  CHECK_EQ(found.elements, 7);
  CHECK_EQ(found.nans, 1);
  CHECK_EQ(found.infinities, 2);
  CHECK_EQ(found.zeros, 1);
  CHECK_EQ(found.min, 0);
  CHECK_EQ(found.max, 4);
  CHECK_EQ(found.mean, doctest::Approx(2));
  CHECK_EQ(found.std, doctest::Approx(std::sqrt(2.5)));
  CHECK_EQ(picture::statistics_of(ir::tensor_of<double>(ir::DType::f32, {1}, {nan})).max, 0);
  CHECK_EQ(picture::statistics_of(ir::tensor_of<double>(ir::DType::f32, {0}, {})).elements, 0);
  // Far from zero, squares alone would lose the deviation.
  const auto far =
      picture::statistics_of(ir::tensor_of<double>(ir::DType::f64, {2}, {1e9, 1e9 + 2}));
  CHECK_EQ(far.std, doctest::Approx(1));
}

TEST_CASE("a large group is divided, in order, and every layout stays small") {
  for (const size_t count : {size_t{79}, size_t{81}, size_t{5000}, size_t{7000}}) {
    CAPTURE(count);
    const Picture picture = graph_picture(long_graph(count));
    CHECK_EQ(picture.nodes.size(), count + 2);
    std::vector<size_t> members(picture.groups.size(), 0);
    for (const picture::Node& node : picture.nodes) ++members[node.group];
    for (size_t i = 1; i < picture.groups.size(); ++i) {
      CHECK_LT(picture.groups[i].parent, i);
      ++members[picture.groups[i].parent];
      CHECK_EQ(picture.groups[i].type, "part");
    }
    CHECK_LE(*std::max_element(members.begin(), members.end()), 80);
    CHECK_GE(*std::min_element(members.begin(), members.end()), 1);
  }
  const Picture picture = graph_picture(long_graph(200));
  CHECK_EQ(picture.groups.at(1).name, "x … v65");
}

TEST_CASE("calls of one module are groups of their own") {
  const Picture picture = graph_picture(R"(graph Net(%x: f32[2]) -> (%f as "y") {

@Net/Act[act]:
  %a: f32[2] = aten::relu(self=%x) as relu_0
  %b: f32[2] = aten::abs(self=%a) as abs_0

@Net:
  %c: f32[2] = aten::neg(self=%b) as neg_0

@Net/Act[act]:
  %d: f32[2] = aten::relu(self=%c) as relu_1
  %e: f32[2] = aten::abs(self=%d) as abs_1

@Net/Other[other]:
  %g: f32[2] = aten::relu(self=%x) as relu_0

@Net/Act[act]:
  %f: f32[2] = aten::add.Tensor(self=%e, other=%g, alpha=1) as add_0
}
)");
  // What does not depend on a call through others belongs to it.
  REQUIRE_EQ(picture.groups.size(), 3);
  CHECK_EQ(picture.groups[1].name, "act");
  CHECK_EQ(picture.groups[2].name, "act (2)");
  CHECK_EQ(picture.groups[2].path, "act");
  const auto group = [&](const char* name) {
    return node_of(picture, name, NodeKind::other).group;
  };
  CHECK_EQ(group("a"), 1);
  CHECK_EQ(group("b"), 1);
  CHECK_EQ(group("d"), 2);
  CHECK_EQ(group("f"), 2);
  CHECK_EQ(group("g"), 0);
}

TEST_CASE("an edge passes a port of each group around one of its ends") {
  const Picture picture = graph_picture();
  const std::vector<picture::Level> levels = picture::levels_of(picture);
  REQUIRE_EQ(levels.size(), picture.groups.size());
  CHECK_EQ(levels[0].members.size(), 3);  // x, y and the layers
  CHECK_EQ(levels[0].lines.size(), 2);
  CHECK_EQ(levels[0].ports.size(), 0);
  CHECK_EQ(levels[1].members.size(), 2);  // a module and an operation
  CHECK_EQ(levels[1].ports.size(), 2);
  CHECK_EQ(levels[1].lines.size(), 3);
  CHECK_EQ(levels[2].ports.size(), 2);
  CHECK_EQ(levels[2].lines.size(), 3);
}

TEST_CASE("an artefact's picture has lines, modules from names, and types") {
  const Picture picture = artefact_picture(
      "x = tract_core_external(shape = [2, 3], datum_type = 'f32');\n"
      "conv1_relu = relu(x);\n"
      "m = conv1_relu > 0.0;\n"
      "y, z = unstack(conv1_relu, axis = 0);\n");
  CHECK_EQ(node_of(picture, "x", NodeKind::input).results.at(0).type, "f32[2,3]");
  const picture::Node& relu = node_of(picture, "conv1_relu", NodeKind::other);
  CHECK_EQ(relu.results.at(0).type, "f32[2,3]");
  CHECK_EQ(relu.nnef.at(0).line, 5);
  CHECK_EQ(relu.nnef.at(0).text, "conv1_relu = relu(x);");
  const picture::Node& split = node_of(picture, "y", NodeKind::moves);
  REQUIRE_EQ(split.results.size(), 2);
  CHECK_EQ(split.results[1].type, "f32[3]");
  CHECK_EQ(split.arguments.at(0).first, "axis");
  CHECK_EQ(node_of(picture, "m", NodeKind::other).op, "expression");
}

TEST_CASE("a symbol is a size; a fragment is shown with its definition; a loop's body is a group") {
  const Picture picture = artefact_picture(
      "x = tract_core_external(shape = [S, 3], datum_type = 'f32');\n"
      "d = twice(x);\n"
      "y = tract_core_scan('step', [('a', d, 0, 1)], [], [], [('b', 'full', 0, 1)]);\n",
      "extension tract_symbol S;\n"
      "fragment twice(a: tensor<scalar>) -> (b: tensor<scalar>) { b = a + a; }\n"
      "fragment step(a: tensor<scalar>) -> (b: tensor<scalar>) { b = relu(a); }\n");
  CHECK_EQ(node_of(picture, "x", NodeKind::input).results.at(0).type, "f32[S,3]");
  const picture::Node& call = node_of(picture, "d", NodeKind::other);
  CHECK_EQ(call.results.at(0).type, "f32[S,3]");
  CHECK_NE(call.definition.find("b = a + a;"), std::string::npos);
  CHECK_EQ(picture.groups.at(1).name, "body of y");
  CHECK_EQ(node_of(picture, "b", NodeKind::other).group, 1);
}

TEST_CASE("values colour tensors, and the modules around them") {
  Picture picture = graph_picture();
  const auto table = picture::read_colors(
      R"({"label": "loss", "values": {"fc": 2, "layers.1": 3, "no": 4}})", "c");
  CHECK_EQ(table.label, "loss");
  CHECK_EQ(picture::color(picture, table), std::vector<std::string>{"no"});
  CHECK_EQ(node_of(picture, "fc", NodeKind::layer).value, 2);
  CHECK_EQ(node_of(picture, "act.relu", NodeKind::other).value, 3);
  CHECK_FALSE(node_of(picture, "x", NodeKind::input).value);
  const auto check = picture::read_colors(
      R"({"check": {"outputs": [{"name": "y", "max_abs": 0.5}, {"name": "z", "max_abs": null}]}})",
      "c");
  CHECK_EQ(check.label, "max |Δ|");
  REQUIRE_EQ(check.values.size(), 1);
  const auto table_of_all = picture::read_colors(
      R"({"check": {"outputs": [{"name": "y", "max_abs": 0.5}], "localisation": {"table":
          [{"tensor": "fc", "distance": 0.25}, {"tensor": "y", "distance": null}]}}})",
      "c");
  CHECK_EQ(table_of_all.label, "relative difference");
  REQUIRE_EQ(table_of_all.values.size(), 1);
  CHECK_EQ(table_of_all.values[0].value, 0.25);
  const auto first = picture::read_colors(
      R"({"first": [{"tensor": "fc", "worst": {"expected": 1, "actual": -1}}]})", "c");
  REQUIRE_EQ(first.values.size(), 1);
  CHECK_EQ(first.values[0].value, 2);
  const auto loss = picture::read_colors(
      R"({"compression": {"layers": [{"module": "layers.0", "results_snr_db": 20},
          {"module": "layers.1", "results_snr_db": null, "results_exact": true}]}})",
      "c");
  REQUIRE_EQ(loss.values.size(), 2);
  for (const auto& [name, value] : loss.values)
    CHECK_EQ(value, doctest::Approx(name == "layers.0" ? 0.1 : 0));
  CHECK_THROWS_AS(picture::read_colors("{", "c"), Error);
  CHECK_THROWS_AS(picture::read_colors("[1, 2]", "c"), Error);
  CHECK_THROWS_AS(picture::read_colors(std::string(200000, '['), "c"), Error);
}

TEST_CASE("no text of a model becomes part of a format") {
  const std::string attack = "</script></title><script>alert(1)</script>\"'&]]>\\N\n\x1b[31m\xff";
  Picture picture = graph_picture();
  picture.title = picture.note = attack;
  for (picture::Group& group : picture.groups) group.name = group.type = group.path = attack;
  for (picture::Node& node : picture.nodes) {
    node.name = node.op = node.label = node.definition = node.problem = attack;
    node.module = node.module_class = attack;
    node.arguments = {{attack, attack}};
    node.nnef = node.source = {{attack, 1, attack}};
    for (picture::Result& result : node.results) result.name = result.type = attack;
    for (picture::Weight& weight : node.weights) weight.name = weight.operand = attack;
  }
  const Json json = Json::parse(picture::json(picture));
  CHECK(json["title"].get<std::string>().starts_with("</script></title><script>alert(1)"));
  const std::string html = picture::html(picture);
  CHECK_EQ(html.find("alert(1)</script>"), std::string::npos);
  CHECK_EQ(html.find("<script>alert"), std::string::npos);
  CHECK_EQ(html.find('\x1b'), std::string::npos);
  const std::string svg = svg_of(picture);
  CHECK_EQ(svg.find("<script"), std::string::npos);
  CHECK_EQ(svg.find('\x1b'), std::string::npos);
  const std::string dot = picture::dot(picture);
  CHECK_EQ(dot.find('\x1b'), std::string::npos);
  CHECK_NE(dot.find(R"(</script></title><script>alert(1)</script>\"'&]]>\\N\\n\\x1b)"),
           std::string::npos);
}

TEST_CASE("the formats contain every node, and equal pictures give equal files") {
  const Picture picture = graph_picture(long_graph(300));
  const Json json = Json::parse(picture::json(picture));
  CHECK_EQ(json["format"], "t2nnef.graph/1");
  CHECK_EQ(json["nodes"].size(), 302);
  const std::string svg = svg_of(picture);
  const std::string dot = picture::dot(picture);
  for (size_t i = 0; i < 300; ++i) {
    if (!svg.empty())
      CHECK_NE(svg.find("<title>v" + std::to_string(i) + "</title>"), std::string::npos);
    CHECK_NE(dot.find("tooltip=\"v" + std::to_string(i) + "\""), std::string::npos);
  }
  CHECK_EQ(svg, svg_of(picture));
  CHECK_EQ(picture::html(picture), picture::html(picture));
  Picture empty;
  if (!svg.empty()) CHECK_NE(svg_of(empty).find("</svg>"), std::string::npos);
  CHECK_NE(picture::dot(empty).find("digraph"), std::string::npos);
}

}  // namespace t2n::test
