// SPDX-License-Identifier: Apache-2.0
// Packed sequences become padded ones with lengths.
#include <doctest/doctest.h>

#include "tests/passes/support.h"

namespace t2n::passes {
namespace {

const std::string kHead =
    "graph m(%x: f32[2,3,4], %n: i64[2], %h: f32[1,2,5], %w: f32[5,4], %u: f32[5,5]) -> "
    "(%z as \"z\", %last as \"h\") {\n"
    "  %d: f32[5,4], %b: i64[3] = aten::_pack_padded_sequence(input=%x, lengths=%n, "
    "batch_first=true)\n";
const std::string kLayer =
    "  %y: f32[5,5], %last: f32[1,2,5] = aten::rnn_tanh.data(data=%d, batch_sizes=%b, hx=%h, "
    "params=[%w, %u], has_biases=false, num_layers=1, dropout=0.0, train=false, "
    "bidirectional=false)\n";

std::string pad(const std::string& value, const std::string& total) {
  return "  %z: f32[2," + total +
         ",5], %m: i64[2] = aten::_pad_packed_sequence(data=%y, "
         "batch_sizes=%b, batch_first=true, padding_value=" +
         value + ", total_length=" + total + ")\n}\n";
}

std::string without_packing(const std::string& text) {
  ir::Graph graph = ir::parse(text);
  run_pipeline(graph, {"expand-packed"}, {});
  return ir::print(graph);
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("a layer between packing and padding runs over the padded tensor") {
  const std::string text = without_packing(kHead + kLayer + pad("0.0", "3"));
  CAPTURE(text);
  CHECK(has(text, "t2n::sequence_lengths(self=%n, most=3)"));
  CHECK(has(text, "t2n::rnn_tanh.padded(input=%x, lengths="));
  CHECK(has(text, "bidirectional=false, batch_first=true)"));
  for (const char* gone : {"packed", "aten::index", "aten::where", "aten::slice", ".data"})
    CHECK_FALSE(has(text, gone));
}

TEST_CASE("another padding, and other sizes") {
  CHECK(has(without_packing(kHead + kLayer + pad("1.5", "3")), "aten::where.self"));
  CHECK(has(without_packing(kHead + kLayer + pad("1.5", "5")), "pad=[0, 0, 0, 2], value=1.5)"));
}

TEST_CASE("results computed from packed rows are padded again") {
  std::string head = kHead;
  head += "  %e: f32[5,4] = aten::exp(self=%d)\n";
  std::string layer = kLayer;
  layer.replace(layer.find("data=%d"), 7, "data=%e");
  const std::string text = without_packing(head + layer + pad("0.0", "3"));
  CAPTURE(text);
  CHECK(has(text, "aten::cumsum"));
  CHECK(has(text, "t2n::rnn_tanh.padded"));
}

TEST_CASE("batch sizes that nothing packed stay") {
  const std::string text =
      "graph m(%d: f32[5,4], %b: i64[3], %h: f32[1,2,5], %w: f32[5,4], %u: f32[5,5]) -> "
      "(%y as \"y\", %last as \"h\") {\n" +
      kLayer + "}\n";
  CHECK_EQ(without_packing(text), ir::print(ir::parse(text)));
}

}  // namespace
}  // namespace t2n::passes
