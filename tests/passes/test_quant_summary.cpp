// SPDX-License-Identifier: Apache-2.0
// What is said of quantised graphs, and the distance of the reals that outputs may be.
#include <doctest/doctest.h>

#include "ir/graph.h"
#include "src/quant/summary.h"

namespace t2n::quant {
namespace {

ir::Graph graph_of(std::string text) {
  const std::string info =
      "quant(scales=[0.5], zero_points=[3], axis=0, bits=8, signed=false, narrow_range=false)";
  const std::string channels =
      "quant(scales=[0.5, 0.25], zero_points=[0, 0], axis=0, bits=4, signed=true, "
      "narrow_range=true)";
  for (const auto& [word, meaning] : {std::pair("@U", info), std::pair("@C", channels)})
    for (size_t at = text.find(word); at != std::string::npos; at = text.find(word))
      text.replace(at, std::string_view(word).size(), meaning);
  return ir::parse(text);
}

TEST_CASE("weights come first, with their bits, and idle pairs are counted") {
  const Summary all = summarise(graph_of(R"(graph m(%x: f32[2]) -> (%e as "y") {
    const %w: i8[2,3] @C = {1, 2, 3, 4, 5, 6}
    %q: u8[2] @U = aten::quantize_per_tensor(self=%x, scale=0.5, zero_point=3, dtype=u8)
    %d: f32[2] = aten::dequantize.self(self=%q)
    %r: u8[2] @U = aten::quantize_per_tensor(self=%d, scale=0.5, zero_point=3, dtype=u8)
    %e: f32[2] = aten::dequantize.self(self=%r)
  })"));
  REQUIRE_EQ(all.tensors.size(), 3);
  CHECK_EQ(all.tensors[0].name, "w");
  CHECK(all.tensors[0].is_stored);
  CHECK_EQ(info_str(all.tensors[0].info),
           "4 bits, signed, narrow range, per channel (2 along axis 0)");
  CHECK_EQ(info_str(all.tensors[1].info), "8 bits, unsigned, per tensor");
  CHECK_EQ(all.weights, 6);
  CHECK_EQ(all.weight_bytes, 3);
  CHECK_EQ(all.redundant_pairs, 1);
}

TEST_CASE("the quantum of an output is that of the quantiser that its values come from") {
  const ir::Graph graph = graph_of(
      R"(graph m(%x: f32[2]) -> (%q as "q", %v as "v", %f as "f", %s as "s", %x as "x", %w as "w", %l as "l") {
    %q: u8[2] @U = aten::quantize_per_tensor(self=%x, scale=0.5, zero_point=3, dtype=u8)
    %d: f32[2] = aten::dequantize.self(self=%q)
    %v: f32[2,1] = aten::view(self=%d, size=[2, 1])
    %f: f32[2] = aten::fake_quantize_per_tensor_affine(self=%x, scale=0.125, zero_point=0, quant_min=0, quant_max=15)
    %s: f32[2] = aten::neg(self=%f)
    %i: u8[2] = aten::int_repr(self=%q)
    %w: u8[2,1] = aten::view(self=%i, size=[2, 1])
    %l: i64[2] = aten::to.dtype(self=%d, dtype=i64, non_blocking=false, copy=false, memory_format=none)
  })");
  CHECK_EQ(quantum(graph, 0), 1);
  CHECK_EQ(quantum(graph, 1), 0.5);
  CHECK_EQ(quantum(graph, 2), 0.125);
  CHECK_FALSE(quantum(graph, 3));
  CHECK_FALSE(quantum(graph, 4));
  CHECK_EQ(quantum(graph, 5), 1);  // integers, moved
  CHECK_FALSE(quantum(graph, 6));  // reals, cut off
}

}  // namespace
}  // namespace t2n::quant
