// SPDX-License-Identifier: Apache-2.0
#include "src/reduce/sizes.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "ir/op_traits.h"
#include "ir/scan.h"
#include "src/diag/error.h"
#include "src/model/torch_module.h"

namespace t2n::reduce {
namespace {

bool is_plain(const Part& part) {
  const auto is_symbolic = [](const ir::Value& value) {
    return value.quant || std::any_of(value.shape.begin(), value.shape.end(),
                                      [](const ir::Dim& dim) { return !dim.is_constant(); });
  };
  const auto is_unknown = [](const ir::Tensor& tensor) {
    return tensor.bytes.empty() && tensor.elements() > 0;
  };
  // Kernels of recurrent layers trust the sizes of their weights.
  const auto is_recurrent = [](const ir::Node& node) {
    return ir::has_trait(ir::op_short_name(node.op), ir::OpTrait::recurrent);
  };
  const ir::Graph& graph = part.graph;
  return std::none_of(graph.nodes.begin(), graph.nodes.end(), is_recurrent) &&
         std::none_of(graph.values.begin(), graph.values.end(), is_symbolic) &&
         std::none_of(graph.nodes.begin(), graph.nodes.end(), ir::is_scan) &&
         std::none_of(part.inputs.begin(), part.inputs.end(), is_unknown);
}

/// The first elements along an axis.
ir::Tensor leading(ir::Tensor tensor, size_t axis, int64_t size) {
  tensor.shape[axis] = size;
  return ir::contiguous(tensor);
}

/// Where an extent is replaced: everywhere, in all inputs, or on one axis of one input.
struct Change {
  int64_t from = 0;
  int64_t to = 0;
  bool keeps_weights = false;
  std::optional<std::pair<size_t, size_t>> only = {};
  friend auto operator<=>(const Change&, const Change&) = default;
};

void change(ir::Tensor& tensor, const Change& change) {
  for (size_t axis = 0; axis < tensor.shape.size(); ++axis)
    if (tensor.shape[axis] == change.from) tensor = leading(tensor, axis, change.to);
}

void change(ir::Attr& attr, const Change& change) {
  const auto replace = [&](ir::Dim& dim) {
    if (dim.is_constant() && dim.value() == change.from) dim = ir::Dim(change.to);
  };
  if (auto* one = std::get_if<ir::Dim>(&attr)) replace(*one);
  if (auto* many = std::get_if<std::vector<ir::Dim>>(&attr))
    for (ir::Dim& dim : *many) replace(dim);
}

/// Sets all shapes to those of a run. False if the operations do not run, or give other dtypes.
bool infer(Part& part) {
  ir::Graph& graph = part.graph;
  ir::Graph every = graph;
  every.outputs.clear();
  for (size_t i = 0; i < graph.values.size(); ++i)
    every.outputs.push_back(static_cast<ir::ValueId>(i));
  try {
    const std::vector<ir::Tensor> values =
        ir::run_graph(every, part.inputs, torch_module().evaluator());
    for (size_t i = 0; i < values.size(); ++i) {
      if (values[i].dtype != graph.values[i].dtype || values[i].elements() == 0) return false;
      graph.values[i].shape = ir::to_shape(values[i].shape);
    }
    return true;
  } catch (const Error& error) {
    if (error.code() == ExitCode::timeout) throw;
    return false;
  }
}

std::optional<Part> changed(const Part& part, const Change& request) {
  Part out = part;
  out.has_other_sizes = true;
  if (request.only) {
    ir::Tensor& tensor = out.inputs[request.only->first];
    tensor = leading(tensor, request.only->second, request.to);
  } else {
    for (ir::Tensor& tensor : out.inputs) change(tensor, request);
  }
  if (!request.only && !request.keeps_weights) {
    for (ir::Constant& constant : out.graph.constants) change(constant.data, request);
    for (ir::Node& node : out.graph.nodes)
      for (ir::Argument& argument : node.args) change(argument.value, request);
  }
  for (size_t i = 0; i < out.inputs.size(); ++i)
    out.graph.values[out.graph.inputs[i]].shape = ir::to_shape(out.inputs[i].shape);
  for (const ir::Constant& constant : out.graph.constants)
    out.graph.values[constant.value].shape = ir::to_shape(constant.data.shape);
  return infer(out) ? std::optional(std::move(out)) : std::nullopt;
}

std::vector<Change> changes(const Part& part, bool keeps_weights) {
  std::set<int64_t, std::greater<>> extents;
  const auto add = [&](const ir::Tensor& tensor) {
    extents.insert(tensor.shape.begin(), tensor.shape.end());
  };
  std::for_each(part.inputs.begin(), part.inputs.end(), add);
  if (!keeps_weights)
    for (const ir::Constant& constant : part.graph.constants) add(constant.data);
  std::vector<Change> out;
  const auto add_changes = [&](int64_t from, std::optional<std::pair<size_t, size_t>> only) {
    int64_t before = 0;
    for (const int64_t to : {int64_t{1}, int64_t{2}, from / 4, from / 2})
      if (to > before && to < from) {
        out.push_back({from, to, keeps_weights, only});
        before = to;
      }
  };
  for (const int64_t from : extents) add_changes(from, {});
  for (size_t i = 0; i < part.inputs.size(); ++i)
    for (size_t axis = 0; axis < part.inputs[i].shape.size(); ++axis)
      add_changes(part.inputs[i].shape[axis], std::pair(i, axis));
  return out;
}

}  // namespace

Part with_smaller_sizes(Part part, bool keeps_weights,
                        const std::function<bool(const Part&)>& fails,
                        const std::function<bool()>& is_over) {
  if (!is_plain(part)) return part;
  std::set<Change> tried;  // not again after others succeeded
  bool has_changed = true;
  while (has_changed && !is_over()) {
    has_changed = false;
    for (const Change& request : changes(part, keeps_weights)) {
      if (is_over()) break;
      if (!tried.insert(request).second) continue;
      std::optional<Part> other = changed(part, request);
      if (!other || elements(*other) >= elements(part) || !fails(*other)) continue;
      part = *std::move(other);
      has_changed = true;
      break;
    }
  }
  return part;
}

}  // namespace t2n::reduce
