#include "src/dynamic/index_range.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "ir/op_traits.h"
#include "ir/tensor.h"
#include "src/diag/one_of.h"

namespace t2n::dynamic {
namespace {

using ir::Dim;
using ir::Node;
using ir::ValueId;

/// True for a slice of a whole axis, as `[None, :]` makes one.
bool is_whole(const Node& slice) {
  const auto is = [&](std::string_view name, int64_t value) {
    const ir::Attr* const given = slice.find(name);
    const auto* dim = given == nullptr ? nullptr : std::get_if<Dim>(given);
    return dim == nullptr || *dim == Dim(value);
  };
  return is("start", 0) && is("end", INT64_MAX) && is("step", 1);
}

/// True for operations whose result contains every operand's integer; for a part nobody knows
/// which.
bool keeps_integers(const Node& node) {
  const std::string_view op = ir::op_name(node.op);
  if (op == "aten::slice.Tensor") return is_whole(node);
  constexpr std::array<std::string_view, 2> kCasts = {"aten::to.dtype", "aten::_to_copy"};
  const auto* const dtype = std::get_if<ir::DType>(node.find("dtype"));
  if (is_one_of(op, kCasts))
    return dtype != nullptr && (*dtype == ir::DType::i64 || *dtype == ir::DType::i32);
  return has_trait(op, ir::OpTrait::keeps_all_values);
}

Places around(const std::vector<int64_t>& all) {
  const auto [least, most] = std::minmax_element(all.begin(), all.end());
  return {std::min<int64_t>(*least, 0), *most + 1};
}

std::optional<Places> of_constant(const ir::Graph& graph, ValueId id) {
  for (const ir::Constant& constant : graph.constants) {
    if (constant.value != id) continue;
    if (!ir::is_integer(constant.data.dtype) || constant.data.elements() == 0) return std::nullopt;
    return around(ir::to_i64(constant.data));
  }
  return std::nullopt;
}

/// torch.tensor([0, 2]), torch.tensor(2): the numbers of the program.
std::optional<Places> of_numbers(const Node& made) {
  const ir::Attr& given = made.args.at(0).value;
  std::vector<Dim> numbers;
  if (const auto* one = std::get_if<Dim>(&given)) numbers = {*one};
  if (const auto* list = std::get_if<std::vector<Dim>>(&given)) numbers = *list;
  if (numbers.empty()) return std::nullopt;
  std::vector<int64_t> all;
  for (const Dim& each : numbers) {
    if (!each.is_constant()) return std::nullopt;
    all.push_back(each.value());
  }
  return around(all);
}

/// Nothing for a number that is no integer.
std::optional<Dim> number_of(const Node& node, std::string_view name, int64_t otherwise) {
  const ir::Attr* const given = node.find(name);
  if (given == nullptr || std::holds_alternative<ir::None>(*given)) return Dim(otherwise);
  if (const auto* dim = std::get_if<Dim>(given)) return *dim;
  const auto* real = std::get_if<double>(given);
  constexpr double kMost = 1 << 30;
  if (real == nullptr || std::trunc(*real) != *real || std::abs(*real) > kMost) return std::nullopt;
  return Dim(static_cast<int64_t>(*real));
}

std::optional<Places> of_range(const Node& range) {
  const auto first = number_of(range, "start", 0), behind = number_of(range, "end", 0);
  const auto by_each = number_of(range, "step", 1);
  if (!first || !behind || !by_each || !by_each->is_constant() || *by_each == Dim(0))
    return std::nullopt;
  const Dim start = *first, end = *behind, step = *by_each;
  if (step == Dim(1)) return Places{start, end};
  const bool forwards = step.value() > 0;
  const Dim reach = forwards ? end - start : start - end, by = forwards ? step : Dim(0) - step;
  const Dim last = start + step * ir::floor_div(reach - Dim(1), by);
  return forwards ? Places{start, last + Dim(1)} : Places{last, start + Dim(1)};
}

}  // namespace

std::optional<Places> index_range_of(const ir::Graph& graph, ValueId index) {
  for (;;) {
    const auto made = [&](const Node& node) { return node.outputs == std::vector{index}; };
    const auto node = std::find_if(graph.nodes.begin(), graph.nodes.end(), made);
    if (node == graph.nodes.end()) return of_constant(graph, index);
    const std::string_view op = ir::op_name(node->op);
    if (op.starts_with("aten::arange")) return of_range(*node);
    if (op == "aten::tensor" || op == "aten::tensor.int" || op == "aten::as_tensor")
      return of_numbers(*node);
    if (!keeps_integers(*node)) return std::nullopt;
    const auto* self = std::get_if<ir::TensorRef>(node->find("self"));
    if (self == nullptr) return std::nullopt;
    index = self->id;
  }
}

}  // namespace t2n::dynamic
