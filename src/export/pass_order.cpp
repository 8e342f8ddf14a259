// SPDX-License-Identifier: Apache-2.0
#include "src/export/pass_order.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "src/compress/calibrate/calibrate.h"
#include "src/compress/calibrate/observe.h"
#include "src/diag/error.h"

namespace t2n {
namespace {

using Pipeline = std::vector<passes::PassInfo>;

struct Order {
  std::string_view first;
  std::string_view second;
  std::string_view why;  ///< what is lost if `second` runs first
};

constexpr std::string_view kNoObservers = "it works on observers, which are inserted later";
constexpr std::string_view kNoScales = "observers have no scales before calculate-qparams";
constexpr std::string_view kRemoved = "it replaces the observers that the later pass works on";
constexpr std::array<Order, 14> kOrders = {
    {{"insert-compression", "calculate-qparams", kNoObservers},
     {"insert-observers", "calculate-qparams", kNoObservers},
     {"insert-compression", "insert-fake-quant", kNoObservers},
     {"insert-observers", "insert-fake-quant", kNoObservers},
     {"calculate-qparams", "compensate-rounding", kNoScales},
     {"calculate-qparams", "insert-fake-quant", kNoScales},
     {"compensate-rounding", "insert-fake-quant", kRemoved},
     {"prune-weights", "calculate-qparams", "ranges of weights change when they are pruned"},
     {"insert-fake-quant", "correct-bias",
      "weights have no rounding error before they are rounded"},
     {"insert-fake-quant", "quantise-constants", "only fake-quantised constants become integers"},
     {"insert-fake-quant", "expand-fake-quant", "only fake-quantised activations become integers"},
     {"insert-fake-quant", "fuse-quantised", "only layers between quantised tensors are fused"},
     {"correct-bias", "quantise-constants", "the error of integers is no longer known"},
     {"fold-batch-norm", "calculate-qparams",
      "folding changes the weights after their ranges are measured"}}};

auto position(const Pipeline& pipeline, std::string_view name) {
  return std::find_if(pipeline.begin(), pipeline.end(),
                      [&](const passes::PassInfo& pass) { return pass.name == name; });
}

/// The passes of the pipeline that the table orders, in an order that loses nothing.
std::string right_order(const Pipeline& pipeline) {
  constexpr std::array<std::string_view, 10> kOrder = {
      "fold-batch-norm",    "prune-weights",       "insert-compression", "insert-observers",
      "calculate-qparams",  "compensate-rounding", "insert-fake-quant",  "correct-bias",
      "quantise-constants", "expand-fake-quant"};
  std::string out;
  for (const std::string_view name : kOrder)
    if (position(pipeline, name) != pipeline.end()) out += cat(out.empty() ? "" : ",", name);
  if (position(pipeline, "fuse-quantised") != pipeline.end()) out += ",fuse-quantised";
  return out;
}

}  // namespace

void require_order(const Pipeline& pipeline) {
  for (const Order& order : kOrders) {
    const auto first = position(pipeline, order.first);
    const auto second = position(pipeline, order.second);
    if (first == pipeline.end() || second == pipeline.end() || first < second) continue;
    throw Error("usage", cat(quoted(order.second), " runs before ", quoted(order.first)),
                std::string(order.why), cat("use --passes ", right_order(pipeline)));
  }
}

void require_scales(const ir::Graph& graph, const Pipeline& pipeline) {
  const auto replaces = position(pipeline, "insert-fake-quant");
  if (replaces == pipeline.end() || position(pipeline, "calculate-qparams") < replaces) return;
  for (const ir::Node& node : graph.nodes) {
    if (!compress::is_observe(node) || !compress::read_observation(node).scale.empty()) continue;
    throw Error({.id = "usage",
                 .message = "'insert-fake-quant' would remove observers that have no scales",
                 .where = {ir::node_where(graph, node)},
                 .why = "calculate-qparams has not run on this graph",
                 .help = "use --passes calculate-qparams,insert-fake-quant"});
  }
}

}  // namespace t2n
