#include "src/translate/factors.h"

#include <algorithm>
#include <cmath>

#include "src/translate/emitter_state.h"
#include "src/translate/rounded_later.h"

namespace t2n::ops {
namespace {

/// Bounds of the exponent of a factor, and of a product of two, which leave headroom for the
/// tensor: an intermediate result that overflows in torch must overflow in the exported model.
constexpr double kSafe = 30;
/// Larger constants are not examined.
constexpr int64_t kMostFactors = 1 << 16;

/// The constant that scales this operand.
std::optional<Ref> factor_of(Emitter& out, std::string_view op, const std::vector<Ref>& operands,
                             size_t operand) {
  if (operands.size() != 2 || (op != "mul" && (op != "div" || operand != 0))) return {};
  const Ref factor = operands[1 - operand];
  const TensorEntry& entry = out.state().at(factor);
  const bool is_factor = entry.kind == TensorEntry::Kind::constant && ir::is_float(entry.dtype);
  return is_factor ? std::optional(factor) : std::nullopt;
}

Scaling scaling_by(Emitter& out, Ref factor, bool divides) {
  const Scaling unknown{-HUGE_VAL, HUGE_VAL, false};
  if (ir::element_count(ir::static_shape(out.shape(factor))) > kMostFactors) return unknown;
  const auto known = out.constant_value(factor);
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
bool may_fold(const Emitter::State& state, DType dtype, const Scaling& a, const Scaling& b) {
  const Scaling both = combined(a, b);
  if (!is_safe(a) || !is_safe(b) || !is_safe(both)) return false;
  if (a.is_exact || b.is_exact)
    return dtype != DType::f16 || (both.is_exact && both.least > -6 && both.most < 6);
  return dtype != DType::f16 && !is_rounded_later(state);
}

/// Operations that tract moves before or after products.
constexpr std::string_view kMovesElements[] = {
    "reshape", "squeeze", "unsqueeze", "transpose",
    "slice",   "concat",  "stack",     "tract_core_broadcast"};

}  // namespace

std::optional<size_t> scaled_twice(Emitter& out, std::string_view op,
                                   const std::vector<Ref>& operands) {
  Emitter::State& state = out.state();
  if (!out.has(target::Feature::folds_repeats)) return {};
  for (const size_t i : {size_t{0}, size_t{1}}) {
    const auto factor = factor_of(out, op, operands, i);
    if (!factor) continue;
    const auto before = state.scaled.find(operands[i].id);
    if (before != state.scaled.end() && !may_fold(state, out.dtype(operands[i]), before->second,
                                                  scaling_by(out, *factor, op == "div")))
      return i;
  }
  return {};
}

void note_scaled(Emitter& out, std::string_view op, const std::vector<Ref>& operands, Ref result) {
  std::map<int, Scaling>& scaled = out.state().scaled;
  if (std::find(std::begin(kMovesElements), std::end(kMovesElements), op) !=
      std::end(kMovesElements)) {
    std::optional<Scaling> widest;
    for (const Ref operand : operands)
      if (const auto found = scaled.find(operand.id); found != scaled.end()) {
        const Scaling& each = found->second;
        if (!widest) widest = each;
        widest = {std::min(widest->least, each.least), std::max(widest->most, each.most),
                  widest->is_exact && each.is_exact};
      }
    if (widest) scaled[result.id] = *widest;
    return;
  }
  for (const size_t i : {size_t{0}, size_t{1}}) {
    const auto factor = factor_of(out, op, operands, i);
    if (!factor) continue;
    const Scaling scaling = scaling_by(out, *factor, op == "div");
    const auto before = scaled.find(operands[i].id);
    scaled[result.id] = before == scaled.end() ? scaling : combined(before->second, scaling);
    return;
  }
}

}  // namespace t2n::ops
