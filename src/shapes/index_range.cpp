// SPDX-License-Identifier: Apache-2.0
#include "src/shapes/index_range.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "ir/op_traits.h"
#include "ir/tensor.h"
#include "src/diag/one_of.h"

namespace t2n::shapes {
namespace {

using ir::Dim;
using ir::Node;
using ir::ValueId;

/// True for a slice of an entire axis, as `[None, :]` contains one.
bool is_full_slice(const Node& slice) {
  const auto is = [&](std::string_view name, int64_t value) {
    const auto* dim = std::get_if<Dim>(slice.find(name));
    return dim == nullptr || *dim == Dim(value);
  };
  return is("start", 0) && is("end", INT64_MAX) && is("step", 1);
}

/// True for operations whose result contains exactly the operand's integers.
bool keeps_integers(const Node& node) {
  const std::string_view op = ir::op_name(node.op);
  if (op == "aten::slice.Tensor") return is_full_slice(node);
  constexpr std::array<std::string_view, 2> kCasts = {"aten::to.dtype", "aten::_to_copy"};
  const auto* const dtype = std::get_if<ir::DType>(node.find("dtype"));
  if (is_one_of(op, kCasts))
    return dtype != nullptr && (*dtype == ir::DType::i64 || *dtype == ir::DType::i32);
  return has_trait(op, ir::OpTrait::keeps_all_values);
}

IndexRange enclosing(const std::vector<int64_t>& all) {
  const auto [least, most] = std::minmax_element(all.begin(), all.end());
  return {std::min<int64_t>(*least, 0), *most + 1};
}

std::optional<IndexRange> constant_range(const ir::Graph& graph, ValueId id) {
  for (const ir::Constant& constant : graph.constants) {
    if (constant.value != id) continue;
    if (!ir::is_integer(constant.data.dtype) || constant.data.elements() == 0) return std::nullopt;
    return enclosing(ir::to_i64(constant.data));
  }
  return std::nullopt;
}

/// The literals of torch.tensor([0, 2]) and torch.tensor(2).
std::optional<IndexRange> literal_range(const Node& node) {
  const std::span<const Dim> numbers = ir::dims(node.args.at(0).value);
  if (numbers.empty()) return std::nullopt;
  std::vector<int64_t> all;
  for (const Dim& each : numbers) {
    if (!each.is_constant()) return std::nullopt;
    all.push_back(each.value());
  }
  return enclosing(all);
}

/// Nothing for a number that is not an integer.
std::optional<Dim> number_of(const Node& node, std::string_view name, int64_t fallback) {
  const ir::Attr* const attr = node.find(name);
  if (attr == nullptr || std::holds_alternative<ir::None>(*attr)) return Dim(fallback);
  if (const auto* dim = std::get_if<Dim>(attr)) return *dim;
  const auto* number = std::get_if<double>(attr);
  constexpr double kMost = 1 << 30;
  if (number == nullptr || std::trunc(*number) != *number || std::abs(*number) > kMost)
    return std::nullopt;
  return Dim(static_cast<int64_t>(*number));
}

std::optional<IndexRange> arange_range(const Node& range) {
  const auto start_arg = number_of(range, "start", 0), end_arg = number_of(range, "end", 0);
  const auto step_arg = number_of(range, "step", 1);
  if (!start_arg || !end_arg || !step_arg || !step_arg->is_constant() || *step_arg == Dim(0))
    return std::nullopt;
  const Dim start = *start_arg, end = *end_arg, step = *step_arg;
  if (step == Dim(1)) return IndexRange{start, end};
  const bool forwards = step.value() > 0;
  const Dim reach = forwards ? end - start : start - end, by = forwards ? step : Dim(0) - step;
  const Dim last = start + step * ir::floor_div(reach - Dim(1), by);
  return forwards ? IndexRange{start, last + Dim(1)} : IndexRange{last, start + Dim(1)};
}

}  // namespace

std::optional<IndexRange> index_range_of(const ir::Graph& graph, ValueId index) {
  for (;;) {
    const auto makes_index = [&](const Node& node) { return node.outputs == std::vector{index}; };
    const auto node = std::find_if(graph.nodes.begin(), graph.nodes.end(), makes_index);
    if (node == graph.nodes.end()) return constant_range(graph, index);
    const std::string_view op = ir::op_name(node->op);
    if (op.starts_with("aten::arange")) return arange_range(*node);
    if (op == "aten::tensor" || op == "aten::tensor.int" || op == "aten::as_tensor")
      return literal_range(*node);
    if (!keeps_integers(*node)) return std::nullopt;
    const auto* self = std::get_if<ir::TensorRef>(node->find("self"));
    if (self == nullptr) return std::nullopt;
    index = self->id;
  }
}

}  // namespace t2n::shapes
