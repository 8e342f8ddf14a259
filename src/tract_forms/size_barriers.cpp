// SPDX-License-Identifier: Apache-2.0
#include "src/tract_forms/size_barriers.h"

#include <algorithm>

namespace t2n::tract_forms {

bool are_sizes(const TractDraft& draft, const Refs& operands) {
  const auto is_size = [&](Ref ref) { return draft.facts(ref).from_sizes; };
  return std::any_of(operands.begin(), operands.end(), is_size) &&
         std::all_of(operands.begin(), operands.end(),
                     [&](Ref ref) { return draft.is_constant(ref) || is_size(ref); });
}

Ref size_barrier(TractDraft& draft, Ref number) {
  if (const auto known = draft.facts(number).size_barrier) return *known;
  const TensorType type{draft.at(number).dtype, draft.at(number).shape};
  const auto call = [&](std::string_view op, const Refs& operands) {
    std::vector<nnef::Argument> arguments;
    for (const Ref operand : operands) arguments.push_back({"", draft.reference(operand)});
    return draft.append_call(op, std::move(arguments), {type})[0];
  };
  // 0.21 lacks abs of f64.
  const bool is_double = type.dtype == DType::f64;
  const Ref size = is_double ? call("max", {number, call("neg", {number})}) : call("abs", {number});
  const Ref barrier = ir::is_integer(type.dtype)
                          ? call("sub", {size, call("abs", {call("sub", {size, number})})})
                          : call("mul", {size, call("sign", {number})});
  draft.facts(number).size_barrier = barrier;
  return barrier;
}

Refs with_size_barriers(TractDraft& draft, std::string_view op, Refs operands, const Shape& shape) {
  if (!draft.has(target::Feature::open_sizes) || (op != "mul" && op != "div")) return operands;
  for (Ref& operand : operands) {
    const TensorEntry& factor = draft.at(operand);
    const bool is_float = ir::is_float(factor.dtype);
    const bool is_integer = factor.dtype == DType::i64 || factor.dtype == DType::i32;
    // Integers computed from sizes alone stay sizes.
    if (draft.facts(operand).from_sizes && factor.shape.empty() &&
        (is_float || (is_integer && !shape.empty())))
      operand = size_barrier(draft, operand);
  }
  return operands;
}

}  // namespace t2n::tract_forms
