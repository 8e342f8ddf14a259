// SPDX-License-Identifier: Apache-2.0
#include "src/compress/explain/slow_weights.h"

#include <algorithm>

#include "src/compress/round/q4_0.h"
#include "src/diag/error.h"
#include "src/passes/layers.h"

namespace t2n::compress {
namespace {

bool is_packed(const ir::Graph& graph, const std::vector<int>& producers,
               const passes::Weight& weight) {
  const int producer = producers[weight.value];
  return producer >= 0 && ir::op_name(graph.nodes[producer].op) == kDequantise;
}

/// The vectors that are multiplied with the weight; 0 if a dynamic axis counts them.
int64_t rows_of(const ir::Shape& shape) {
  int64_t out = 1;
  for (size_t i = 0; i + 1 < shape.size(); ++i) {
    if (!shape[i].is_constant()) return 0;
    out *= shape[i].value();
  }
  return out;
}

std::string slow_text(const ir::Graph& graph, const ir::Node& node, const passes::Layer& layer) {
  if (passes::is_conv(node)) return cat(ir::node_address(graph, node), ": a convolution");
  if (layer.activations.empty()) return "";
  const int64_t rows = rows_of(graph.values[layer.activations.front()].shape);
  return rows > 1 ? cat(ir::node_address(graph, node), ": ", rows, " rows") : "";
}

}  // namespace

void warn_slow(const ir::Graph& stored, const Report& report) {
  const std::vector<int> producers = ir::producers(stored);
  const std::vector<bool> known = passes::known_values(stored);
  std::vector<std::string> details;
  for (const ir::Node& node : stored.nodes) {
    const auto layer = passes::layer_of(stored, node, known);
    if (!layer || passes::is_lookup(node)) continue;
    const bool has_packed =
        std::any_of(layer->weights.begin(), layer->weights.end(),
                    [&](const passes::Weight& each) { return is_packed(stored, producers, each); });
    std::string text = has_packed ? slow_text(stored, node, *layer) : "";
    if (!text.empty()) details.push_back(std::move(text));
  }
  const size_t count = details.size();
  warn_of(report, "slow-weights", std::move(details),
          cat("tract computes ", count, count == 1 ? " layer" : " layers",
              " with Q4_0 weights several times slower than with floats"),
          "use --compress int8-weights, or settings with \"weights\": {\"bits\": 8} for them",
          "tract is fast with Q4_0 for one row, but not for more rows, nor for convolutions");
}

}  // namespace t2n::compress
