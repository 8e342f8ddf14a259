// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/state/observers.h"

#include <ATen/Functions.h>

#include <limits>
#include <optional>

#include "ir/op_registry.h"
#include "src/diag/error.h"

namespace t2n::trace {
namespace {

using Attributes = std::vector<Attribute>;

bool is_all(const at::Tensor& tensor, double value) {
  return tensor.defined() && tensor.eq(value).all().item<bool>();
}

/// An observer without data has an empty range, or one from infinity to -infinity.
bool never_saw(const Attributes& attributes, const std::string& observer) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return is_all(tensor_at(attributes, observer + ".min_val"), kInfinity) &&
         is_all(tensor_at(attributes, observer + ".max_val"), -kInfinity);
}

/// The module that owns the scale of a fake quantisation; "" if the scale is not such an attribute.
std::string quantiser_of(const ir::Graph& graph, const ir::Node& node) {
  constexpr std::string_view kScale = ".scale";
  if (!ir::op_name(node.op).starts_with("aten::fake_quantize_")) return {};
  const ir::ValueId scale = ir::operand(node, "scale");
  if (scale == ir::kNoValue) return {};
  const std::string& name = graph.values[scale].name;
  return name.ends_with(kScale) ? name.substr(0, name.size() - kScale.size()) : std::string();
}

}  // namespace

void require_observed(const ObjectPtr& model, const ir::Graph& graph) {
  std::optional<Attributes> attributes;  // listing them walks the whole model
  for (const ir::Node& node : graph.nodes) {
    const std::string path = quantiser_of(graph, node);
    if (path.empty()) continue;
    if (!attributes) attributes = list_attributes(model);
    if (is_all(tensor_at(*attributes, path + ".scale"), 1) &&
        is_all(tensor_at(*attributes, path + ".zero_point"), 0) &&
        never_saw(*attributes, path + ".activation_post_process"))
      throw Error({.id = "unsupported-argument",
                   .message = cat("the fake quantisation ", quoted(path), " was never calibrated"),
                   .where = {ir::node_where(graph, node)},
                   .details = {},
                   .why = "its observer never saw data, and its scale is still 1",
                   .help = "run the prepared model on samples before saving it, or set the scale"});
  }
}

}  // namespace t2n::trace
