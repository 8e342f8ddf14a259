// SPDX-License-Identifier: Apache-2.0
#include "src/compress/data_movement.h"

#include <array>
#include <string_view>

#include "ir/op_traits.h"
#include "src/diag/one_of.h"

namespace t2n::compress {
namespace {

/// Operators that select elements or join tensors.
constexpr std::array<std::string_view, 10> kChoose = {
    "adaptive_max_pool1d", "adaptive_max_pool2d", "amax",       "amin", "cat", "concat",
    "max_pool1d",          "max_pool2d",          "max_pool3d", "relu"};

bool is_zero_or_none(const ir::Attr* attr) {
  if (attr == nullptr || std::holds_alternative<ir::None>(*attr)) return true;
  if (const auto* number = std::get_if<double>(attr)) return *number == 0;
  const auto* dim = std::get_if<ir::Dim>(attr);
  return dim != nullptr && *dim == ir::Dim(0);
}

bool adds_zeros(const ir::Node& node) {
  const ir::Attr* mode = node.find("mode");
  const bool is_constant = mode == nullptr || *mode == ir::Attr(std::string("constant"));
  return is_constant && is_zero_or_none(node.find("value"));
}

}  // namespace

bool keeps_qparams(const ir::Node& node) {
  if (!ir::op_name(node.op).starts_with("aten::") || node.body) return false;
  if (ir::op_name(node.op) == "aten::view.dtype") return false;  // reads other bits
  const std::string_view name = ir::op_base_name(node.op);
  if (name == "constant_pad_nd" || name == "pad") return adds_zeros(node);
  return ir::has_trait(name, ir::OpTrait::moves_elements) || is_one_of(name, kChoose);
}

std::vector<ir::ValueId> moved_operands(const ir::Graph& graph, const ir::Node& node) {
  std::vector<ir::ValueId> out;
  ir::for_each_input(node, [&](ir::ValueId id) {
    const ir::Value& value = graph.values[id];
    if (ir::is_float(value.dtype) || value.quant) out.push_back(id);
  });
  return out;
}

std::vector<bool> dynamic_scales(const ir::Graph& graph) {
  std::vector<bool> out(graph.values.size());
  for (const ir::Node& node : graph.nodes) {
    bool found = ir::op_name(node.op).find("dynamic") != std::string_view::npos;
    ir::for_each_input(node, [&](ir::ValueId id) { found = found || out[id]; });
    for (const ir::ValueId id : node.outputs) out[id] = found && graph.values[id].quant;
  }
  return out;
}

}  // namespace t2n::compress
