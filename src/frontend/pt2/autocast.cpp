// SPDX-License-Identifier: Apache-2.0
// Regions under torch.autocast: casts of operands, where torch's dispatcher makes them.
#include <algorithm>
#include <array>

#include "src/diag/error.h"
#include "src/frontend/pt2/graph_writer.h"
#include "src/frontend/pt2/stored_tensors.h"

namespace t2n::trace {
namespace {

/// Calls `visit` for each value that an argument names.
template <typename Visit>
void visit_names(const pt2::Argument& argument, const Visit& visit) {
  if (const auto* name = argument.get<pt2::ValueName>()) visit(name->name);
  if (const auto* list = argument.get<pt2::Argument::List>())
    for (const pt2::Argument& each : *list) visit_names(each, visit);
}

/// The dtype of a tensor of the graph, if it is a float that autocast changes.
std::optional<at::ScalarType> float_dtype(const std::string& name, const pt2::Graph& graph) {
  const auto meta = graph.tensors.find(name);
  if (meta == graph.tensors.end()) return std::nullopt;
  const at::ScalarType out = torch_dtype(meta->second.dtype);
  const bool is_changed = out == at::kFloat || out == at::kHalf || out == at::kBFloat16;
  return is_changed ? std::optional(out) : std::nullopt;
}

/// Whether the node itself decides on the dtype of its result, or takes operands of several.
bool has_own_dtype(const pt2::Node& node) {
  constexpr std::array<std::string_view, 6> kOwn = {"aten::to",      "aten::_to_copy",
                                                    "aten::type_as", "aten::copy",
                                                    "aten::copy_",   "aten::embedding"};
  const std::string name = operator_name(node.target);
  if (!name.starts_with("aten::") || name.ends_with("_norm") ||
      std::find(kOwn.begin(), kOwn.end(), name) != kOwn.end())
    return true;
  return std::any_of(node.inputs.begin(), node.inputs.end(), [](const pt2::NamedArgument& input) {
    return input.argument.get<pt2::DTypeCode>() != nullptr;
  });
}

/// The dtype that autocast gives the operands: that of the result in the file.
std::optional<at::ScalarType> autocast_dtype(const pt2::Node& node, const pt2::Graph& graph) {
  if (has_own_dtype(node)) return std::nullopt;
  std::optional<at::ScalarType> out;
  for (const pt2::Argument& result : node.outputs)
    visit_names(result, [&](const std::string& name) {
      if (!out) out = float_dtype(name, graph);
    });
  return out;
}

}  // namespace

void GraphWriter::write_in_autocast(const pt2::Node& node, const pt2::Graph& graph) {
  std::map<std::string, Value*> before;
  if (const auto dtype = autocast_dtype(node, graph))
    for (const pt2::NamedArgument& input : node.inputs)
      visit_names(input.argument, [&](const std::string& name) {
        const auto own = float_dtype(name, graph);
        const auto found = names.find(name);
        if (!own || own == dtype || found == names.end() || before.contains(name)) return;
        before[name] = found->second;
        found->second = as_dtype(found->second, *dtype);
      });
  write_node(node, graph);
  for (const auto& [name, value] : before) names[name] = value;
}

/// Its arguments: the kind of device, the dtype, whether it is on, whether casts are cached, the
/// region, and its values.
void GraphWriter::write_autocast(const pt2::Node& node) {
  const auto* is_on = node.inputs.size() > 2 ? node.inputs[2].argument.get<bool>() : nullptr;
  const bool before = is_autocast_;
  is_autocast_ = is_on == nullptr || *is_on;
  write_region(node);
  is_autocast_ = before;
}

}  // namespace t2n::trace
