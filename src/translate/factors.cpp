#include "src/translate/factors.h"

#include <algorithm>
#include <cmath>

#include "src/translate/emitter_state.h"
#include "src/translate/rounded_later.h"

namespace t2n::ops {
namespace {

/// Exponents of 2 between which a factor, and a product of two, leave room for what they scale: one
/// that overflows on its way in torch is to do so in the file.
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
  Scaling made{HUGE_VAL, -HUGE_VAL, true};
  for (const double value : ir::to_f64(*known)) {
    if (value == 0) continue;
    if (!std::isfinite(value)) return unknown;
    int exponent = 0;
    made.is_exact = made.is_exact && std::abs(std::frexp(value, &exponent)) == 0.5;
    made.least = std::min<double>(made.least, exponent);
    made.most = std::max<double>(made.most, exponent);
  }
  if (made.least > made.most) return {};
  return divides ? Scaling{-made.most, -made.least, made.is_exact} : made;
}

bool is_safe(const Scaling& scaling) { return scaling.least >= -kSafe && scaling.most <= kSafe; }

Scaling combined(const Scaling& a, const Scaling& b) {
  return {a.least + b.least, a.most + b.most, a.is_exact && b.is_exact};
}

/// Whether x * (a * b) is x * a * b, to the last bit where that matters.
bool may_meet(const Emitter::State& state, DType dtype, const Scaling& a, const Scaling& b) {
  const Scaling both = combined(a, b);
  if (!is_safe(a) || !is_safe(b) || !is_safe(both)) return false;
  if (a.is_exact || b.is_exact)
    return dtype != DType::f16 || (both.is_exact && both.least > -6 && both.most < 6);
  return dtype != DType::f16 && !is_rounded_later(state);
}

/// Operations that tract moves in front of products, or behind them.
constexpr std::string_view kMoved[] = {"reshape", "squeeze", "unsqueeze", "transpose",
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
    if (before != state.scaled.end() && !may_meet(state, out.dtype(operands[i]), before->second,
                                                  scaling_by(out, *factor, op == "div")))
      return i;
  }
  return {};
}

void note_scaled(Emitter& out, std::string_view op, const std::vector<Ref>& operands, Ref result) {
  std::map<int, Scaling>& scaled = out.state().scaled;
  if (std::find(std::begin(kMoved), std::end(kMoved), op) != std::end(kMoved)) {
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
    const Scaling made = scaling_by(out, *factor, op == "div");
    const auto before = scaled.find(operands[i].id);
    scaled[result.id] = before == scaled.end() ? made : combined(before->second, made);
    return;
  }
}

}  // namespace t2n::ops
