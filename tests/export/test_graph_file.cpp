// SPDX-License-Identifier: Apache-2.0
// Graphs as files: constants of every place and width come back as they were.
#include <doctest/doctest.h>

#include <filesystem>

#include "ir/print.h"
#include "src/diag/error.h"
#include "src/export/graph_file.h"
#include "src/samples/samples.h"
#include "tests/tract/support.h"

namespace t2n::test {
namespace {

/// Constants of the same name in a graph and in the body of a loop; one of bf16, one in the text.
constexpr const char* kGraphText =
    R"(graph m(%x: f32[3,20], %h: f32[20], %odd: i64[1]) -> (%last as "last", %k as "k", %b as "b") {
  attribute input_ranges: ranges = "odd name"=-4..3, odd=0..9
  const %w: f32[20] = bytes=80
  const %b: bf16[5,8] = bytes=80
  const %small: f32[2] = {1.0, 2.0}
  %k: f32[20] = aten::relu(self=%w)
  %last: f32[20] = t2n::scan(length=3, scanned=[%x], scanned_axes=[0], scanned_reversed=[false], initial=[%h], captured=tensors[], stacked_axes=[], stacked_reversed=bools[]) body graph iteration(%t: i64[], %v: f32[20], %h: f32[20]) -> (%n as "h") {
    const %w: f32[20] = bytes=80
    %p: f32[20] = aten::add.Tensor(self=%h, other=%v, alpha=1)
    %n: f32[20] = aten::mul.Tensor(self=%p, other=%w)
  }
})";

ir::Graph example_graph() {
  ir::Graph graph = ir::parse(kGraphText);
  ir::verify(graph, "parsing");
  uint64_t stream = 0;
  for (ir::Constant& constant : graph.constants)
    if (constant.data.bytes.empty())
      constant.data = draw(constant.data.dtype, constant.data.shape, {}, 1, ++stream);
  auto body = std::make_shared<ir::Graph>(*graph.nodes.at(1).body);
  body->constants.at(0).data = draw(ir::DType::f32, {20}, {}, 1, ++stream);
  graph.nodes[1].body = body;
  return graph;
}

TEST_CASE("graphs read back as written, with bodies of loops and bf16") {
  const TempFolder folder;
  const std::string path = folder.path() + "/m.ir";
  const ir::Graph graph = example_graph();
  const WrittenGraph written = write_graph_file(graph, nnef::file_destination(path));
  CHECK_GT(written.bytes, 0);
  CHECK_GT(written.weights, 240);
  const ir::Graph back = read_graph_file(path);
  CHECK_EQ(ir::print(back), ir::print(graph));  // hashes of all constants stand in it
  CHECK(unloaded_constants(back).empty());
  CHECK_FALSE(back.attributes.contains(ir::kContentHashes));  // what was loaded has its own
  for (size_t i = 0; i < graph.constants.size(); ++i)
    CHECK(ir::same_values(back.constants[i].data, graph.constants[i].data));
  CHECK(ir::same_values(back.nodes[1].body->constants.at(0).data,
                        graph.nodes[1].body->constants.at(0).data));
}

TEST_CASE("without the file beside it, constants are not loaded") {
  const TempFolder folder;
  const std::string path = folder.path() + "/m.ir";
  write_graph_file(example_graph(), nnef::file_destination(path));
  std::filesystem::remove(weights_path(path));
  const ir::Graph graph = read_graph_file(path);
  CHECK_EQ(unloaded_constants(graph), std::vector<std::string>{"w", "b", "w"});
  CHECK_THROWS_AS(write_graph_file(graph, nnef::file_destination(path)), Error);
}

TEST_CASE("constants stay distinct whatever their names are") {
  const TempFolder folder;
  const std::string path = folder.path() + "/m.ir";
  for (const char* const own : {"last/w#1", "last/w_1"}) {
    CAPTURE(own);
    ir::Graph graph = example_graph();
    auto body = std::make_shared<ir::Graph>(*graph.nodes.at(1).body);
    graph.nodes[1].body = body;
    // Its constant is called "last/w" in the file, as these are.
    const auto name = [&](size_t constant, const std::string& text) {
      graph.values[static_cast<size_t>(graph.constants.at(constant).value)].name = text;
    };
    name(0, "last/w");
    name(1, own);
    write_graph_file(graph, nnef::file_destination(path));
    const ir::Graph back = read_graph_file(path);
    CHECK(unloaded_constants(back).empty());
    for (size_t i = 0; i < graph.constants.size(); ++i)
      CHECK(ir::same_values(back.constants[i].data, graph.constants[i].data));
    CHECK(ir::same_values(back.nodes[1].body->constants.at(0).data, body->constants.at(0).data));
  }
}

}  // namespace
}  // namespace t2n::test
