// SPDX-License-Identifier: Apache-2.0
// The pass `bind-sizes`: symbols that the user did not declare dynamic become constant sizes.
// Data-dependent sizes differ in every run, and stay symbolic.
#include "src/passes/passes.h"

namespace t2n::passes {
namespace {

using ir::Sizes;

/// Replaces the symbols in `sizes`.
class Binder {
 public:
  explicit Binder(const Sizes& sizes) : sizes_(sizes) {}

  void bind(ir::Dim& dim) const { dim = dim.substitute(sizes_); }
  void bind(std::vector<ir::Dim>& dims) const {
    for (ir::Dim& dim : dims) bind(dim);
  }
  void bind(ir::Attr& attr) const {
    for (ir::Dim& dim : ir::dims(attr)) bind(dim);
  }

 private:
  const Sizes& sizes_;
};

}  // namespace

bool bind_sizes(ir::Graph& graph, const PassContext& context) {
  const auto attribute = graph.attributes.find(ir::kSampleSizes);
  if (attribute == graph.attributes.end()) return false;
  Sizes dynamic = std::any_cast<const Sizes&>(attribute->second);
  Sizes bound;
  for (const auto& [symbol, size] : dynamic)
    if (symbol.unbacked() == nullptr && (!context.keeps_symbol || !context.keeps_symbol(symbol)))
      bound.emplace(symbol, size);
  if (bound.empty()) return false;

  const Binder binder(bound);
  for (ir::Value& value : graph.values) binder.bind(value.shape);
  for (ir::Node& node : graph.nodes)
    for (ir::Argument& arg : node.args) binder.bind(arg.value);

  std::erase_if(dynamic, [&](const auto& entry) { return bound.contains(entry.first); });
  if (dynamic.empty())
    graph.attributes.erase(attribute);
  else
    attribute->second = std::move(dynamic);
  return true;
}

ir::Graph at_sizes(const ir::Graph& graph, const ir::Sizes& sizes) {
  ir::Graph out = graph;
  if (!sizes.empty()) out.attributes[ir::kSampleSizes] = sizes;
  run_pass(find_pass("bind-sizes", pass_rows()), out, {});
  return out;
}

}  // namespace t2n::passes
