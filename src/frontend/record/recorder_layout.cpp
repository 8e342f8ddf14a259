// SPDX-License-Identifier: Apache-2.0
// Conditions on sizes and values under which tensors share memory.
#include <algorithm>
#include <set>

#include "ir/op_traits.h"
#include "src/diag/error.h"
#include "src/frontend/record/recorder.h"

namespace t2n::trace {

using ir::Comparison;
using ir::Dim;
using ir::Relation;

namespace {

/// True for a view of a part of an axis.
bool cuts(const ir::Node& view) {
  const std::string_view op = ir::op_name(view.op);
  return op == "aten::slice.Tensor" || op == "aten::narrow" || op.starts_with("aten::split") ||
         op == "aten::chunk" || op.starts_with("aten::tensor_split");
}

}  // namespace

void Recorder::invalidate(const at::Tensor& tensor, Location location) {
  const int entry = entry_of(tensor, location, {});
  aliases_.root(aliases_[entry]).is_invalid = true;
}

std::vector<Comparison> Recorder::layout_conditions(const at::Tensor& tensor) {
  std::vector<Comparison> out;
  const int index = aliases_.find(tensor);
  if (index < 0 || !mark(tensor)) return out;
  const TensorInfo& entry = aliases_[index];
  const ir::Shape shape = graph_.values[entry.value].shape;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    const int64_t extent = shape[axis].value();
    const Dim size = size_symbol(graph_, entry.value, static_cast<int64_t>(axis));
    if (extent > 0)
      out.push_back(extent == 1 ? Comparison{size, Relation::eq, 1}
                                : Comparison{size, Relation::ge, 2});
    if (entry.parent < 0 || !cuts(entry.view->call.node)) continue;
    const ir::ValueId base = aliases_[entry.parent].value;
    const ir::Shape base_shape = graph_.values[base].shape;
    const Dim base_size = size_symbol(graph_, base, static_cast<int64_t>(axis));
    if (extent == base_shape[axis].value()) out.push_back({size, Relation::eq, base_size});
    if (extent < base_shape[axis].value()) out.push_back({size, Relation::lt, base_size});
  }
  return out;
}

bool Recorder::may_be_unbacked(const Dim& size) const {
  std::set<std::string> names;
  for (const ir::Symbol& symbol : size.symbols())
    if (symbol.axis_size() != nullptr) names.insert(symbol.axis_size()->value);
  std::set<ir::ValueId> needed;
  for (auto node = graph_.nodes.rbegin(); node != graph_.nodes.rend(); ++node) {
    const bool is_needed = std::ranges::any_of(node->outputs, [&](ir::ValueId id) {
      return needed.contains(id) || names.contains(graph_.values[id].name);
    });
    if (!is_needed) continue;
    if (has_trait(ir::op_short_name(node->op), ir::OpTrait::gives_unbacked_size)) return true;
    ir::for_each_input(*node, [&](ir::ValueId id) { needed.insert(id); });
  }
  return false;
}

std::vector<Comparison> Recorder::sharing_conditions(const at::Tensor& tensor) const {
  return layouts_.around(aliases_.find(tensor));
}

void Recorder::relies_on_layout(const at::Tensor& tensor, const at::Tensor& result, bool is_alias) {
  const bool by_values = aliases_.is_dynamic_shape(tensor);
  const std::vector<Comparison> conditions =
      keep_sizes_ && !by_values ? layout_conditions(tensor) : std::vector<Comparison>();
  layouts_.add(aliases_.find(tensor), aliases_.find(result), conditions, by_values);
  if (is_alias) layouts_.add_identity(aliases_.find(tensor), aliases_.find(result));
}

}  // namespace t2n::trace
