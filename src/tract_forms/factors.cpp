// SPDX-License-Identifier: Apache-2.0
#include "src/tract_forms/factors.h"

#include <algorithm>
#include <cmath>

namespace t2n::tract_forms {
namespace {

/// Bounds of the exponent of a factor, and of a product of two, which leave headroom for the
/// tensor: an intermediate result that overflows in torch must overflow in the exported model.
constexpr double kSafe = 30;
/// Larger constants are not examined.
constexpr int64_t kMostFactors = 1 << 16;

/// The constant that scales this operand.
std::optional<Ref> factor_of(const TractDraft& draft, std::string_view op, const Refs& operands,
                             size_t operand) {
  if (operands.size() != 2 || (op != "mul" && (op != "div" || operand != 0))) return {};
  const Ref factor = operands[1 - operand];
  const bool is_factor = draft.is_constant(factor) && ir::is_float(draft.at(factor).dtype);
  return is_factor ? std::optional(factor) : std::nullopt;
}

Scaling scaling_by(const TractDraft& draft, Ref factor, bool divides) {
  const Scaling unknown{-HUGE_VAL, HUGE_VAL, false};
  const TensorEntry& entry = draft.at(factor);
  if (ir::element_count(ir::static_shape(entry.shape)) > kMostFactors) return unknown;
  const auto known = draft::loaded_value(entry);
  if (!known) return unknown;
  Scaling scaling{HUGE_VAL, -HUGE_VAL, true};
  for (const double value : ir::to_f64(*known)) {
    if (value == 0) continue;
    if (!std::isfinite(value)) return unknown;
    int exponent = 0;
    scaling.is_exact = scaling.is_exact && std::abs(std::frexp(value, &exponent)) == 0.5;
    scaling.least = std::min<double>(scaling.least, exponent);
    scaling.most = std::max<double>(scaling.most, exponent);
  }
  if (scaling.least > scaling.most) return {};
  return divides ? Scaling{-scaling.most, -scaling.least, scaling.is_exact} : scaling;
}

bool is_safe(const Scaling& scaling) { return scaling.least >= -kSafe && scaling.most <= kSafe; }

Scaling combined(const Scaling& a, const Scaling& b) {
  return {a.least + b.least, a.most + b.most, a.is_exact && b.is_exact};
}

/// Whether x * (a * b) equals x * a * b, bit for bit where that matters.
Folding folding(DType dtype, const Scaling& a, const Scaling& b) {
  const Scaling both = combined(a, b);
  if (!is_safe(a) || !is_safe(b) || !is_safe(both)) return Folding::wrong;
  const bool is_half = dtype == DType::f16;
  if (!a.is_exact && !b.is_exact) return is_half ? Folding::wrong : Folding::inexact;
  const bool is_tiny = both.is_exact && both.least > -6 && both.most < 6;
  return is_half && !is_tiny ? Folding::wrong : Folding::harmless;
}

/// Operations that tract moves before or after products.
constexpr std::string_view kMovesElements[] = {
    "reshape", "squeeze", "unsqueeze", "transpose",
    "slice",   "concat",  "stack",     "tract_core_broadcast"};

}  // namespace

Folding folding_of(const TractDraft& draft, std::string_view op, const Refs& operands,
                   size_t operand) {
  if (!draft.has(target::Feature::folds_repeats)) return Folding::harmless;
  const auto factor = factor_of(draft, op, operands, operand);
  if (!factor) return Folding::harmless;
  const auto& before = draft.facts(operands[operand]).scaling;
  if (!before) return Folding::harmless;
  return folding(draft.at(operands[operand]).dtype, *before,
                 scaling_by(draft, *factor, op == "div"));
}

std::optional<Scaling> known_scaling(const TractDraft& draft, std::string_view op,
                                     const Refs& operands) {
  if (std::find(std::begin(kMovesElements), std::end(kMovesElements), op) !=
      std::end(kMovesElements)) {
    std::optional<Scaling> widest;
    for (const Ref operand : operands)
      if (const auto& each = draft.facts(operand).scaling) {
        if (!widest) widest = each;
        widest = {std::min(widest->least, each->least), std::max(widest->most, each->most),
                  widest->is_exact && each->is_exact};
      }
    return widest;
  }
  for (const size_t i : {size_t{0}, size_t{1}}) {
    const auto factor = factor_of(draft, op, operands, i);
    if (!factor) continue;
    const Scaling scaling = scaling_by(draft, *factor, op == "div");
    const auto& before = draft.facts(operands[i]).scaling;
    return before ? combined(*before, scaling) : scaling;
  }
  return {};
}

}  // namespace t2n::tract_forms
