#include "src/trace/padded.h"

#include <ATen/Dispatch.h>
#include <ATen/core/Tensor.h>

#include <algorithm>
#include <array>
#include <limits>

#include "src/diag/one_of.h"
#include "src/trace/mark.h"

namespace t2n::trace {
namespace {

using torch::jit::Stack;

/// What changes no maximum, or no minimum: the least or greatest number, or infinity.
c10::Scalar neutral(at::ScalarType type, bool is_least) {
  using Doubles = std::numeric_limits<double>;
  if (at::isFloatingType(type)) return is_least ? -Doubles::infinity() : Doubles::infinity();
  if (type == at::kBool) return !is_least;
  const auto of = [&](auto integer) -> int64_t {
    using Limits = std::numeric_limits<decltype(integer)>;
    return is_least ? Limits::lowest() : Limits::max();
  };
  switch (type) {
    case at::kByte: return of(uint8_t());
    case at::kChar: return of(int8_t());
    case at::kShort: return of(int16_t());
    case at::kInt: return of(int32_t());
    default: return of(int64_t());
  }
}

/// A plain integer among the operands; nothing if it is not there, or follows from the inputs.
std::optional<int64_t> integer(const Stack& inputs, size_t place) {
  if (place >= inputs.size() || mark_of(inputs[place]) || !inputs[place].isInt()) return {};
  return inputs[place].toInt();
}

std::optional<int64_t> axis_at(const at::Tensor& tensor, std::optional<int64_t> axis) {
  if (axis && *axis < 0) *axis += tensor.dim();
  return axis && *axis >= 0 && *axis < tensor.dim() ? axis : std::nullopt;
}

/// An operation that needs elements: the axes along which padding is possible.
struct Needy {
  std::vector<int64_t> axes;
  int64_t least = 1;  ///< number of elements that it needs along them
  bool from_end = false;
  bool shifts = false;
  c10::Scalar value = 0;
};

/// Reductions, whose results are some of their elements, or the places of these.
std::optional<Needy> reduction(const c10::FunctionSchema& schema, const Stack& inputs) {
  constexpr std::array<std::string_view, 6> kNames = {"aten::max",  "aten::min",    "aten::amax",
                                                      "aten::amin", "aten::argmax", "aten::argmin"};
  const std::string& name = schema.name();
  if (!is_one_of(name, kNames)) return {};
  const at::Tensor& self = inputs[0].toTensor();
  Needy out;
  out.value = neutral(self.scalar_type(), name.ends_with("max"));
  const bool is_whole = inputs.size() == 1 || inputs[1].isNone() ||
                        (inputs[1].isIntList() && inputs[1].toIntVector().empty());
  if (is_whole) {
    // A place among all elements stays the same only if what is added comes last.
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

/// Whether a number is a place from the front, whatever the inputs hold: sizes are never negative.
bool is_place(const Mark& mark) { return is_size(mark) && mark->size.as_symbol() != nullptr; }

bool holds_mask(const c10::IValue& index) {
  return index.isTensor() && index.toTensor().defined() &&
         (index.toTensor().scalar_type() == at::kBool ||
          index.toTensor().scalar_type() == at::kByte);
}

bool selects(const at::Tensor& index) {
  return index.defined() && index.numel() > 0 && at::isIntegralType(index.scalar_type(), false);
}

std::optional<Needy> selection(const c10::FunctionSchema& schema, const Stack& inputs) {
  const std::string& name = schema.name();
  const at::Tensor& self = inputs[0].toTensor();
  Needy out;
  const auto along = [&](std::optional<int64_t> axis) {
    if (const auto found = axis_at(self, axis)) out.axes.push_back(*found);
    return out;
  };
  if (name == "aten::select" && schema.overload_name() == "int") {
    const bool is_open = is_place(mark_of(inputs[2]));
    const auto place = is_open ? std::optional<int64_t>(0) : integer(inputs, 2);
    if (!place) return {};
    out.from_end = *place < 0;
    out.least = *place < 0 ? -*place : *place + 1;
    return along(integer(inputs, 1));
  }
  if (name == "aten::index") {
    // A negative index counts from the end, and so elements are added in front.
    out.from_end = out.shifts = true;
    const auto indices = inputs[1].toListRef();
    if (std::any_of(indices.begin(), indices.end(), holds_mask)) return {};  // it may take two axes
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

std::optional<Needy> needs(const c10::FunctionSchema& schema, const Stack& inputs) {
  if (schema.is_mutable() || inputs.empty() || !inputs[0].isTensor()) return {};
  const at::Tensor& self = inputs[0].toTensor();
  if (!self.defined() || self.is_quantized() || self.is_complex() || self.dim() == 0) return {};
  if (auto found = reduction(schema, inputs)) return found;
  return selection(schema, inputs);
}

}  // namespace

std::optional<int64_t> lacking_axis(const c10::FunctionSchema& schema, const Stack& inputs) {
  const auto needy = needs(schema, inputs);
  if (!needy) return {};
  for (const int64_t axis : needy->axes)
    if (inputs[0].toTensor().size(axis) < needy->least) return axis;
  return {};
}

std::optional<Padding> padding_of(const c10::FunctionSchema& schema, const Stack& inputs,
                                  int64_t axis) {
  const auto needy = needs(schema, inputs);
  if (!needy || std::find(needy->axes.begin(), needy->axes.end(), axis) == needy->axes.end())
    return {};
  Padding out{.axis = axis, .shifts = needy->shifts, .value = needy->value};
  (needy->from_end ? out.before : out.behind) = needy->least;
  return out;
}

}  // namespace t2n::trace
