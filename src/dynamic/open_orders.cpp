// SPDX-License-Identifier: Apache-2.0
#include "src/dynamic/open_orders.h"

#include <algorithm>

#include "src/diag/error.h"
#include "src/dynamic/expressible.h"
#include "src/dynamic/unbacked_sizes.h"

namespace t2n::dynamic {

std::vector<Assumption> OpenOrders::infer(const std::vector<TraceAt>& runs,
                                          std::vector<Probe>& probes, InferOptions options,
                                          const ir::OpTable& operators) {
  using Kept = shapes::Orders::Kept;
  const auto inferred = [&](Kept kept) {
    probes.clear();
    for (const TraceAt& run : runs) probes.push_back({run.sizes, run.traced.graph});
    options.orders = {kept, decided_};
    return infer_shapes(probes, options, operators);
  };
  const bool has_unbacked_sizes = dynamic::has_unbacked_sizes(runs[0].traced.graph);
  for (const Kept kept : {Kept::all, Kept::unbacked}) {
    if (kept == Kept::all ? decides_all_ : !has_unbacked_sizes) continue;
    try {
      std::vector<Assumption> assumed = inferred(kept);
      while (decide(assumed)) assumed = inferred(kept);
      return assumed;
    } catch (const Error& error) {
      if (error.diagnostic().id == "internal") throw;
    }
  }
  return inferred(Kept::none);
}

/// Lets the probes decide the orders that assumptions need.
bool OpenOrders::decide(const std::vector<Assumption>& assumed) {
  const size_t before = decided_.size();
  for (const Assumption& each : assumed) {
    const Comparison& c = each.relation;
    if ((c.relation != Relation::eq && is_unbacked(c)) || without_orders(c)) continue;
    for (const ir::Dim& side : {c.left, c.right})
      for (const ir::Operands& order : shapes::orders_in(side))
        if (std::ranges::find(decided_, order) == decided_.end()) decided_.push_back(order);
  }
  return decided_.size() > before;
}

bool has_orders(const ir::Graph& graph) {
  return std::ranges::any_of(graph.values, [](const ir::Value& value) {
    return std::ranges::any_of(
        value.shape, [](const ir::Dim& size) { return !shapes::orders_in(size).empty(); });
  });
}

}  // namespace t2n::dynamic
