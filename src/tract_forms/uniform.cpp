// SPDX-License-Identifier: Apache-2.0
#include "src/tract_forms/uniform.h"

#include <algorithm>

namespace t2n::tract_forms {
namespace {

using Elements = Facts::Elements;

bool is_any(std::string_view op, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), op) != names.end();
}

bool is_one_number(const TractDraft& draft, Ref x) {
  const Facts& facts = draft.facts(x);
  return facts.elements == Elements::number || (facts.from_sizes && draft.at(x).shape.empty());
}

/// Whether a product with it may be 0 everywhere.
bool may_absorb(const TractDraft& draft, Ref x) {
  return draft.is_constant(x) ? is_zero(draft.at(x)) : is_one_number(draft, x);
}

/// Whether a single operand may determine the entire result.
bool is_absorbed(const TractDraft& draft, std::string_view op, const Refs& operands) {
  const auto absorbs = [&](Ref ref) { return may_absorb(draft, ref); };
  const auto is_known = [&](Ref ref) {
    return is_one_number(draft, ref) || draft.is_constant(ref);
  };
  if (is_any(op, {"mul", "and", "tract_core_bitand"}))
    return std::any_of(operands.begin(), operands.end(), absorbs);
  if (is_absorbing(op)) return absorbs(operands[0]);
  if (is_any(op, {"or", "tract_core_bitor"}))
    return std::any_of(operands.begin(), operands.end(), is_known);
  return op == "select" && is_one_number(draft, operands[0]);
}

/// Whether two operands are index ranges along the same axis.
bool is_of_one_axis(const TractDraft& draft, const Refs& operands) {
  std::vector<size_t> axes;  // counted from the last
  for (const Ref ref : operands) {
    const Facts& facts = draft.facts(ref);
    if (facts.elements != Elements::positions) continue;
    const Shape& shape = draft.at(ref).shape;
    for (size_t i = 0; i < shape.size(); ++i) {
      const auto is_broadcast = std::find(facts.broadcast_axes.begin(), facts.broadcast_axes.end(),
                                          static_cast<int64_t>(i)) != facts.broadcast_axes.end();
      if (shape[i] != Dim(1) && !is_broadcast) axes.push_back(shape.size() - i);
    }
  }
  std::sort(axes.begin(), axes.end());
  return std::adjacent_find(axes.begin(), axes.end()) != axes.end();
}

/// A tensor of one element has no size to lose.
bool has_sizes(const Shape& shape) {
  return std::any_of(shape.begin(), shape.end(), [](const Dim& size) { return size != Dim(1); });
}

}  // namespace

bool is_absorbing(std::string_view op) {
  return is_any(op, {"mul", "and", "tract_core_bitand", "div", "tract_shl", "tract_shr"});
}

Elements known_elements(const TractDraft& draft, std::string_view op, const Refs& operands) {
  if (op == "tract_core_range") return Elements::positions;
  if (operands.empty() || is_any(op, {"tract_core_gather", "tract_onnx_non_zero"}))
    return Elements::unknown;
  if (is_absorbed(draft, op, operands)) return Elements::number;
  bool has_number = false, has_positions = false;
  for (const Ref ref : operands) {
    if (draft.facts(ref).elements == Elements::positions)
      has_positions = true;
    else if (is_one_number(draft, ref))
      has_number = true;
    else if (!draft.is_constant(ref))
      return Elements::unknown;
  }
  // An index range minus itself is 0; concatenated, selected or multiplied it remains a range.
  const bool may_cancel = !is_any(op, {"concat", "stack", "select", "mul", "min", "max"});
  if (has_positions)
    return may_cancel && is_of_one_axis(draft, operands) ? Elements::number : Elements::positions;
  return has_number ? Elements::number : Elements::unknown;
}

Barriers number_barriers(const TractDraft& draft, std::string_view op, const Refs& operands) {
  if (!draft.has(target::Feature::folds_repeats)) return {};
  const bool is_product = is_any(op, {"mul", "div", "and", "matmul", "linear", "conv", "deconv",
                                      "tract_core_einsum"}) ||
                          op.ends_with("_reduce");
  const size_t factors = op == "select" ? 1 : is_product ? operands.size() : 0;
  Barriers out;
  for (size_t i = 0; i < factors; ++i)
    if (!draft.is_constant(operands[i]) && is_one_number(draft, operands[i]) &&
        has_sizes(draft.at(operands[i]).shape))
      out.push_back({i, Cause::number_everywhere});
  return out;
}

Barriers body_barriers(const TractDraft& draft, std::string_view op, const Refs& operands) {
  const bool varies =
      std::any_of(operands.begin(), operands.end(), [&](Ref ref) { return draft.at(ref).varies; });
  Barriers out;
  for (size_t i = 0; varies && is_absorbing(op) && i < operands.size(); ++i)
    if (is_zero(draft.at(operands[i])))
      out.push_back({i, Cause::state_times_zero});
    else if (draft.is_constant(operands[i]) && ir::is_integer(draft.at(operands[i]).dtype))
      out.push_back({i, Cause::integer_factor_in_body});
  return out;
}

Barriers unbacked_barriers(const TractDraft& draft, std::string_view op, const Refs& operands) {
  const bool is_product = is_any(op, {"mul", "and", "tract_core_bitand"});
  Barriers out;
  for (size_t i = 0; i < operands.size(); ++i)
    if ((is_product && is_zero(draft.at(operands[i]))) ||
        (op == "or" && draft.is_constant(operands[i])))
      out.push_back({i, Cause::zero_of_unbacked_size});
  return out;
}

}  // namespace t2n::tract_forms
