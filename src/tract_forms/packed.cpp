// SPDX-License-Identifier: Apache-2.0
#include "src/tract_forms/packed.h"

#include <algorithm>

#include "src/diag/error.h"
#include "src/target/limits.h"

namespace t2n::tract_forms {
namespace {

/// True if each row of the weight is summed over: "abk,nk->abn".
bool is_linear(std::string_view expression) {
  const size_t comma = expression.find(','), arrow = expression.find("->");
  if (comma == std::string_view::npos || arrow != comma + 3 || comma == 0) return false;
  const char out = expression[comma + 1], in = expression[comma + 2];
  const std::string_view x = expression.substr(0, comma), y = expression.substr(arrow + 2);
  return x.back() == in && y.size() == x.size() && y.back() == out && out != in &&
         x.substr(0, x.size() - 1) == y.substr(0, y.size() - 1);
}

/// tract crashes on filters that convolve each channel separately.
bool is_depthwise(const Shape& filter, const Attributes& attributes) {
  const nnef::Value* groups = find(attributes, "groups");
  return filter.at(1) == Dim(1) && groups != nullptr && groups->integer != 1;
}

/// Whether tract supports blocks as this operand. It computes products without transposition wrong.
bool is_readable(const TractDraft& draft, std::string_view op, const Refs& operands, size_t operand,
                 const Attributes& attributes) {
  if (op == "tract_core_gather")
    return operand == 0 && find(attributes, "datum_type") != nullptr &&
           find(attributes, "axis")->integer == 0;
  if (operand != 1) return false;
  if (op == "linear") return true;
  if (op == "matmul") return find(attributes, "transposeB") != nullptr;
  if (op == "tract_core_einsum")
    return operands.size() == 2 && is_linear(find(attributes, "expr")->text);
  return op == "conv" && draft.has(target::Feature::q4_0_convolution) &&
         !is_depthwise(draft.at(operands[1]).shape, attributes);
}

}  // namespace

void refuse_packed_in(const TractDraft& draft, std::string_view reader) {
  throw Error(target::untranslated(
      "unsupported-op", cat("a Q4_0 weight in ", reader), target_name(draft.target),
      target::limit_row(target::Limit::packed_weights).why, "do not quantise this weight"));
}

void check_packed(const TractDraft& draft, std::string_view op, const Refs& operands,
                  const Attributes& attributes) {
  for (size_t i = 0; i < operands.size(); ++i)
    if (draft.at(operands[i]).is_q4_0 &&
        (draft.is_body || !is_readable(draft, op, operands, i, attributes)))
      refuse_packed_in(draft, op);
}

}  // namespace t2n::tract_forms
