// Tensors whose elements tract may know to be equal. It must not use that in products.
#include "src/translate/uniform.h"

#include <algorithm>

#include "src/translate/broadcast_axes.h"
#include "src/translate/emitter_state.h"

namespace t2n::ops {
namespace {

using Followed = TensorEntry::Followed;

bool is_any(std::string_view op, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), op) != names.end();
}

bool is_one_number(const TensorEntry& x) {
  return x.followed == Followed::number || (x.from_sizes && x.shape.empty());
}

bool is_constant(const TensorEntry& x) { return x.kind == TensorEntry::Kind::constant; }

/// Whether a product with it may be 0 everywhere.
bool may_absorb(const TensorEntry& x) {
  if (!is_constant(x)) return is_one_number(x);
  return is_zero(x);
}

/// Whether a single operand may determine the entire result.
bool is_absorbed(Emitter::State& state, std::string_view op, const std::vector<Ref>& operands) {
  const auto absorbs = [&](Ref ref) { return may_absorb(state.at(ref)); };
  const auto is_known = [&](Ref ref) {
    return is_one_number(state.at(ref)) || is_constant(state.at(ref));
  };
  if (is_any(op, {"mul", "and", "tract_core_bitand"}))
    return std::any_of(operands.begin(), operands.end(), absorbs);
  if (is_absorbing(op)) return absorbs(operands[0]);
  if (is_any(op, {"or", "tract_core_bitor"}))
    return std::any_of(operands.begin(), operands.end(), is_known);
  if (op == "select") return is_one_number(state.at(operands[0]));
  return false;
}

/// Whether two operands are index ranges along the same axis.
bool is_of_one_axis(Emitter::State& state, const std::vector<Ref>& operands) {
  std::vector<size_t> axes;  // counted from the last
  for (const Ref ref : operands) {
    const TensorEntry& x = state.at(ref);
    if (x.followed != Followed::positions) continue;
    for (size_t i = 0; i < x.shape.size(); ++i) {
      const auto is_broadcast = std::find(x.broadcast_axes.begin(), x.broadcast_axes.end(),
                                          static_cast<int64_t>(i)) != x.broadcast_axes.end();
      if (x.shape[i] != Dim(1) && !is_broadcast) axes.push_back(x.shape.size() - i);
    }
  }
  std::sort(axes.begin(), axes.end());
  return std::adjacent_find(axes.begin(), axes.end()) != axes.end();
}

Followed followed_in(Emitter::State& state, std::string_view op, const std::vector<Ref>& operands) {
  if (op == "tract_core_range") return Followed::positions;
  if (operands.empty() || op == "tract_core_gather") return Followed::no;
  if (is_absorbed(state, op, operands)) return Followed::number;
  bool has_number = false, has_positions = false;
  for (const Ref ref : operands) {
    const TensorEntry& x = state.at(ref);
    if (x.followed == Followed::positions)
      has_positions = true;
    else if (is_one_number(x))
      has_number = true;
    else if (!is_constant(x))
      return Followed::no;
  }
  // An index range minus itself is 0; concatenated, selected or multiplied it remains a range.
  const bool may_cancel = !is_any(op, {"concat", "stack", "select", "mul", "min", "max"});
  if (has_positions)
    return may_cancel && is_of_one_axis(state, operands) ? Followed::number : Followed::positions;
  return has_number ? Followed::number : Followed::no;
}

/// A tensor of one element has no size to lose.
bool has_sizes(const Shape& shape) {
  return std::any_of(shape.begin(), shape.end(), [](const Dim& size) { return size != Dim(1); });
}

}  // namespace

bool is_absorbing(std::string_view op) {
  return is_any(op, {"mul", "and", "tract_core_bitand", "div", "tract_shl", "tract_shr"});
}

void note_uniform(Emitter::State& state, std::string_view op, const std::vector<Ref>& operands,
                  Ref result) {
  state.at(result).followed = followed_in(state, op, operands);
}

std::vector<Ref> uniform_barriers(Emitter& out, std::string_view op,
                                  const std::vector<Ref>& operands) {
  std::vector<Ref> guarded = operands;
  if (!out.has(target::Feature::folds_repeats)) return guarded;
  const bool is_product = is_any(op, {"mul", "div", "and", "matmul", "linear", "conv", "deconv",
                                      "tract_core_einsum"}) ||
                          op.ends_with("_reduce");
  const size_t factors = op == "select" ? 1 : is_product ? operands.size() : 0;
  for (size_t i = 0; i < factors; ++i) {
    const TensorEntry& x = out.state().at(operands[i]);
    if (!is_constant(x) && is_one_number(x) && has_sizes(x.shape))
      guarded[i] = gathered(out, operands[i]);
  }
  return guarded;
}

}  // namespace t2n::ops
