// SPDX-License-Identifier: Apache-2.0
// A branch often protects an operation from values: indices, divisors, tensors without elements.
// Where both branches run, the operation gets safe ones instead.
#include "src/frontend/loops/safe_operands.h"

#include <array>

#include "ir/op_traits.h"
#include "src/diag/one_of.h"
#include "src/frontend/loops/padded.h"
#include "src/frontend/numbers/data_rules.h"

namespace t2n::trace {
namespace {

/// The safe value of an operand with which the operation may fail: 0 for an index, 1 for a divisor.
std::optional<int64_t> safe_value(const std::string& op, const std::string& argument,
                                  size_t position) {
  constexpr std::array<std::string_view, 3> kIndices = {"index", "indices", "target"};
  constexpr std::array<std::string_view, 2> kSelf = {"aten::one_hot", "aten::bincount"};
  if (is_one_of(argument, kIndices)) return 0;
  if (op == "aten::select" && position == 2) return 0;
  if (position == 0 && is_one_of(op, kSelf)) return 0;
  const bool divides = has_trait(op, ir::OpTrait::divides) || op == "aten::floordiv" ||
                       op == "aten::divmod" || op == "aten::__mod__";
  if (divides && position == 1) return 1;
  return std::nullopt;
}

bool is_integer_tensor(const at::Tensor& tensor) {
  return tensor.defined() && at::isIntegralType(tensor.scalar_type(), false);
}

/// The value where the condition holds, otherwise the fallback.
c10::IValue safe(ComputedNumbers& computed, const c10::IValue& value, const FormulaRef& condition,
                 int64_t fallback) {
  if (value.isTensor()) {
    const at::Tensor& tensor = value.toTensor();
    if (!is_integer_tensor(tensor) || !computed.recorder().mark(tensor)) return value;
    return computed.recorded("aten::where", "ScalarOther",
                             {computed.computed(*condition), tensor, fallback});
  }
  if (value.isList() && !flatten_tensors(value).empty()) {
    c10::List<std::optional<at::Tensor>> out;
    for (const c10::IValue& each : value.toListRef())
      out.push_back(each.isTensor() && each.toTensor().defined()
                        ? std::optional(safe(computed, each, condition, fallback).toTensor())
                        : std::nullopt);
    return out;
  }
  const c10::IValue number = unmarked(value);
  const Mark mark = mark_of(value);
  // Other sizes are at least 1.
  const bool may_be_none =
      fallback == 1 && is_size(mark) && computed.recorder().may_be_unbacked(*exact_size(mark));
  if (!(is_read(value) || may_be_none) || !number.isInt()) return value;
  const bool holds = computed.computed(*condition).item().toBool();
  return marked(holds ? number : c10::IValue(fallback),
                data_mark(may_be_none ? "a size that depends on values" : origin_of(mark),
                          choice_formula(condition, formula_of(value), number_formula(fallback))));
}

/// Indices of a tensor with one more element at the front of `axis`, which they select where the
/// condition does not hold.
c10::IValue shifted(ComputedNumbers& computed, const c10::IValue& indices, int64_t axis,
                    const FormulaRef& condition) {
  c10::List<std::optional<at::Tensor>> out;
  for (const c10::IValue& each : indices.toListRef()) {
    const bool is_index = each.isTensor() && each.toTensor().defined();
    out.push_back(is_index ? std::optional(each.toTensor()) : std::nullopt);
  }
  const size_t position = axis;
  const at::Tensor index = computed.recorded(
      "aten::where", "ScalarOther", {computed.computed(*condition), *out.get(position), -1});
  const at::Tensor is_from_end = computed.recorded("aten::lt", "Scalar", {index, 0});
  const at::Tensor next = computed.recorded("aten::add", "Scalar", {index, 1, 1});
  out.set(position, computed.recorded("aten::where", "self", {is_from_end, index, next}));
  return out;
}

}  // namespace

torch::jit::Stack safe_inputs(ComputedNumbers& computed, const c10::FunctionSchema& schema,
                              const FormulaRef& condition, torch::jit::Stack inputs) {
  for (size_t i = 0; i < inputs.size() && i < schema.arguments().size(); ++i)
    if (const auto fallback = safe_value(schema.name(), schema.arguments()[i].name(), i))
      inputs[i] = safe(computed, inputs[i], condition, *fallback);
  return inputs;
}

torch::jit::Stack padded_inputs(ComputedNumbers& computed, const c10::FunctionSchema& schema,
                                int64_t axis, const FormulaRef& condition,
                                torch::jit::Stack inputs) {
  const auto padding = padding_of(schema, inputs, axis);
  if (!padding) return inputs;
  const at::Tensor tensor = inputs[padding->operand].toTensor();
  if (!computed.recorder().mark(tensor)) return inputs;
  std::vector<int64_t> sides(2 * static_cast<size_t>(tensor.dim() - axis));
  sides[sides.size() - 2] = padding->before;
  sides[sides.size() - 1] = padding->after;
  const at::Tensor out =
      computed.recorded("aten::constant_pad_nd", "", {tensor, sides, c10::IValue(padding->value)});
  if (schema.returns()[0].alias_info() != nullptr)
    computed.recorder().aliases().forbid_writes({{out, tensor, tensor}}, {}, SIZE_MAX);
  inputs[padding->operand] = out;
  if (padding->shifts) inputs[1] = shifted(computed, inputs[1], axis, condition);
  return inputs;
}

}  // namespace t2n::trace
