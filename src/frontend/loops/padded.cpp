// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/loops/padded.h"

#include <ATen/Dispatch.h>
#include <ATen/core/Tensor.h>

#include <algorithm>
#include <array>
#include <limits>

#include "src/diag/one_of.h"
#include "src/frontend/load/call.h"
#include "src/frontend/numbers/mark.h"

namespace t2n::trace {
namespace {

using torch::jit::Stack;

/// The neutral element of the maximum or minimum: the least or greatest number, or infinity.
c10::Scalar neutral(at::ScalarType type, bool is_least) {
  using Doubles = std::numeric_limits<double>;
  if (at::isFloatingType(type)) return is_least ? -Doubles::infinity() : Doubles::infinity();
  if (type == at::kBool) return !is_least;
  const auto limit = [&](auto integer) -> int64_t {
    using Limits = std::numeric_limits<decltype(integer)>;
    return is_least ? Limits::lowest() : Limits::max();
  };
  switch (type) {
    case at::kByte: return limit(uint8_t());
    case at::kChar: return limit(int8_t());
    case at::kShort: return limit(int16_t());
    case at::kInt: return limit(int32_t());
    default: return limit(int64_t());
  }
}

/// A plain integer among the operands; nothing if it is missing, or depends on the inputs.
std::optional<int64_t> integer(const Stack& inputs, size_t index) {
  if (index >= inputs.size() || mark_of(inputs[index]) || !inputs[index].isInt()) return {};
  return inputs[index].toInt();
}

std::optional<int64_t> axis_at(const at::Tensor& tensor, std::optional<int64_t> axis) {
  if (axis && *axis < 0) *axis += tensor.dim();
  return axis && *axis >= 0 && *axis < tensor.dim() ? axis : std::nullopt;
}

/// The padding for an operation that needs elements.
struct PaddingRule {
  std::vector<int64_t> axes;  ///< those along which padding is possible
  int64_t least = 1;          ///< number of elements that it needs along them
  bool from_end = false;
  bool shifts = false;
  c10::Scalar value = 0;
};

/// Reductions whose results are some of their elements, or the indices of these.
std::optional<PaddingRule> reduction(const c10::FunctionSchema& schema, const Stack& inputs) {
  constexpr std::array<std::string_view, 6> kNames = {"aten::max",  "aten::min",    "aten::amax",
                                                      "aten::amin", "aten::argmax", "aten::argmin"};
  const std::string& name = schema.name();
  if (!is_one_of(name, kNames)) return {};
  const at::Tensor& self = inputs[0].toTensor();
  PaddingRule out;
  out.value = neutral(self.scalar_type(), name.ends_with("max"));
  const bool is_full = inputs.size() == 1 || inputs[1].isNone() ||
                       (inputs[1].isIntList() && inputs[1].toIntVector().empty());
  if (is_full) {
    // An index into all elements stays the same only if the padding comes last.
    const int64_t axes = name.starts_with("aten::arg") ? 1 : self.dim();
    for (int64_t axis = 0; axis < axes; ++axis) out.axes.push_back(axis);
    return out;
  }
  if (inputs[1].isIntList())
    for (const int64_t each : inputs[1].toIntVector())
      if (const auto axis = axis_at(self, each)) out.axes.push_back(*axis);
  if (const auto axis = axis_at(self, integer(inputs, 1))) out.axes.push_back(*axis);
  return out;
}

/// Whether a number is never negative, so that it counts from the front: sizes are not.
bool is_from_front(const Mark& mark) {
  return is_size(mark) && exact_size(mark)->as_symbol() != nullptr;
}

bool selects(const at::Tensor& index) {
  return index.defined() && index.numel() > 0 && at::isIntegralType(index.scalar_type(), false);
}

std::optional<PaddingRule> selection(const c10::FunctionSchema& schema, const Stack& inputs) {
  const std::string& name = schema.name();
  const at::Tensor& self = inputs[0].toTensor();
  PaddingRule out;
  const auto along = [&](std::optional<int64_t> axis) {
    if (const auto found = axis_at(self, axis)) out.axes.push_back(*found);
    return out;
  };
  if (name == "aten::select" && schema.overload_name() == "int") {
    const bool is_symbolic = is_from_front(mark_of(inputs[2]));
    const auto index = is_symbolic ? std::optional<int64_t>(0) : integer(inputs, 2);
    if (!index) return {};
    out.from_end = *index < 0;
    out.least = *index < 0 ? -*index : *index + 1;
    return along(integer(inputs, 1));
  }
  if (name == "aten::index") {
    // A negative index counts from the end, so the padding comes in front.
    out.from_end = out.shifts = true;
    const auto indices = inputs[1].toListRef();
    if (std::any_of(indices.begin(), indices.end(), is_mask))
      return {};  // a mask may index two axes
    for (size_t axis = 0; axis < indices.size(); ++axis)
      if (indices[axis].isTensor() && selects(indices[axis].toTensor()))
        out.axes.push_back(static_cast<int64_t>(axis));
    return out;
  }
  if (name == "aten::topk") {
    const auto count = integer(inputs, 1);
    if (!count || !inputs[3].isBool()) return {};
    out.least = *count;
    out.value = neutral(self.scalar_type(), inputs[3].toBool());
    return along(integer(inputs, 2));
  }
  if (name == "aten::index_select" && inputs[2].toTensor().numel() > 0)
    return along(integer(inputs, 1));
  if (name == "aten::gather" && inputs[2].toTensor().numel() > 0) return along(integer(inputs, 1));
  return {};
}

std::optional<PaddingRule> padding_rule(const c10::FunctionSchema& schema, const Stack& inputs) {
  if (schema.is_mutable() || inputs.empty() || !inputs[0].isTensor()) return {};
  const at::Tensor& self = inputs[0].toTensor();
  if (!self.defined() || self.is_quantized() || self.is_complex() || self.dim() == 0) return {};
  if (auto found = reduction(schema, inputs)) return found;
  return selection(schema, inputs);
}

}  // namespace

std::optional<int64_t> short_axis(const c10::FunctionSchema& schema, const Stack& inputs) {
  const auto rule = padding_rule(schema, inputs);
  if (!rule) return {};
  for (const int64_t axis : rule->axes)
    if (inputs[0].toTensor().size(axis) < rule->least) return axis;
  return {};
}

std::optional<Padding> padding_of(const c10::FunctionSchema& schema, const Stack& inputs,
                                  int64_t axis) {
  const auto rule = padding_rule(schema, inputs);
  if (!rule || std::find(rule->axes.begin(), rule->axes.end(), axis) == rule->axes.end()) return {};
  Padding out{.axis = axis, .shifts = rule->shifts, .value = rule->value};
  (rule->from_end ? out.before : out.after) = rule->least;
  return out;
}

}  // namespace t2n::trace
