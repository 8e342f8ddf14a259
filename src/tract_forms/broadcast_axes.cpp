// Broadcast axes, along which all entries are equal. tract must not detect them before a product.
#include "src/translate/broadcast_axes.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "src/diag/error.h"
#include "src/translate/emitter_state.h"
#include "src/translate/packed.h"

namespace t2n::ops {
namespace {

/// One flag per axis.
using Flags = std::vector<bool>;

bool any(const Flags& flags) { return std::find(flags.begin(), flags.end(), true) != flags.end(); }

/// A constant stores a broadcast axis once, see TensorEntry.
Flags broadcast_axes_of(const TensorEntry& entry) {
  Flags out(entry.shape.size());
  for (const int64_t axis : entry.broadcast_axes) out[axis] = true;
  if (entry.kind == TensorEntry::Kind::constant && entry.parts.size() == 1) {
    const ir::Tensor stored = without_broadcast_axes(entry.parts[0]);
    for (size_t i = 0; i < out.size(); ++i) out[i] = stored.shape[i] != entry.parts[0].shape[i];
  }
  return out;
}

const nnef::Value* find_attribute(const Attributes& attributes, std::string_view name) {
  for (const Attribute& each : attributes)
    if (each.name == name) return &each.value;
  return nullptr;
}

/// The axes that become longer, aligned at the last axis, and those that were broadcast before.
Flags after_broadcast(const TensorEntry& x, const Shape& shape) {
  Flags out(shape.size());
  const Flags before = broadcast_axes_of(x);
  const size_t added = shape.size() - x.shape.size();
  for (size_t i = 0; i < shape.size(); ++i)
    out[i] = i < added ? shape[i] != Dim(1) : before[i - added] || x.shape[i - added] != shape[i];
  return out;
}

/// If one axis of a group is broadcast, all of them are.
Flags after_reshape(const TensorEntry& x, const Shape& shape) {
  const Flags before = broadcast_axes_of(x);
  Flags out(shape.size());
  size_t from = 0, to = 0;
  while (from < before.size() && to < shape.size()) {
    const size_t first = to;
    Dim count_from = x.shape[from], count_to = shape[to];
    bool is_broadcast = before[from++];
    ++to;
    while (count_from != count_to && (from < before.size() || to < shape.size())) {
      const bool takes_from =
          to == shape.size() || (from < before.size() && (count_from - count_to).is_constant() &&
                                 (count_from - count_to).value() < 0);
      if (takes_from) {
        is_broadcast = is_broadcast || before[from];
        count_from = count_from * x.shape[from++];
      } else {
        count_to = count_to * shape[to++];
      }
    }
    for (size_t i = first; i < to; ++i) out[i] = is_broadcast && shape[i] != Dim(1);
  }
  return out;
}

Flags after_transpose(const TensorEntry& x, const Attributes& attributes) {
  const Flags before = broadcast_axes_of(x);
  Flags out;
  for (const nnef::Value& axis : find_attribute(attributes, "axes")->items)
    out.push_back(before.at(axis.integer));
  return out;
}

/// An axis is broadcast if it is in one of the parts.
Flags after_concat(Emitter::State& state, const std::vector<Ref>& parts, size_t rank) {
  Flags out(rank);
  for (const Ref part : parts) {
    const Flags before = broadcast_axes_of(state.at(part));
    for (size_t i = 0; i < rank; ++i) out[i] = out[i] || before[i];
  }
  return out;
}

/// An axis is broadcast if the entries of no operand differ along it.
Flags after_elementwise(Emitter::State& state, const std::vector<Ref>& operands,
                        const Shape& shape) {
  Flags out(shape.size(), true);
  for (size_t i = 0; i < shape.size(); ++i) out[i] = shape[i] != Dim(1);
  for (const Ref ref : operands) {
    const TensorEntry& x = state.at(ref);
    const Flags before = broadcast_axes_of(x);
    if (before.size() > shape.size()) return Flags(shape.size());
    const size_t added = shape.size() - before.size();
    for (size_t i = 0; i < before.size(); ++i)
      out[added + i] = out[added + i] && (before[i] || x.shape[i] == Dim(1));
  }
  return out;
}

constexpr std::string_view kSameOrder[] = {"reshape", "squeeze", "unsqueeze"};

Flags broadcast_axes_after(Emitter::State& state, std::string_view op,
                           const std::vector<Ref>& operands, const Attributes& attributes,
                           const Shape& shape) {
  if (operands.empty()) return Flags(shape.size());
  const TensorEntry& x = state.at(operands[0]);
  if (op == "concat") return after_concat(state, operands, shape.size());
  if (op == "tract_core_broadcast" || op == "tile") return after_broadcast(x, shape);
  if (op == "transpose") return after_transpose(x, attributes);
  if (std::find(std::begin(kSameOrder), std::end(kSameOrder), op) != std::end(kSameOrder))
    return after_reshape(x, shape);
  // Slices keep broadcast axes; fragments of one operand are mostly elementwise.
  if (op == "slice" || (operands.size() == 1 && x.shape == shape))
    return x.shape.size() == shape.size() ? broadcast_axes_of(x) : Flags(shape.size());
  return Flags(shape.size());
}

/// A letter for each axis of the factors and of the result, as in an einsum.
struct Axes {
  std::vector<std::string> factors;
  std::string result;
};

Axes of_matmul(int rank, bool transposes_b) {
  const std::string batch =
      std::string("abcdefghij").substr(0, static_cast<size_t>(std::max(0, rank - 2)));
  return {{batch + "mk", batch + (transposes_b ? "nk" : "kn")}, batch + "mn"};
}

Axes of_einsum(const std::string& expression) {
  Axes out;
  const size_t arrow = expression.find("->");
  out.result = expression.substr(arrow + 2);
  out.factors.emplace_back();
  for (const char c : expression.substr(0, arrow))
    if (c == ',')
      out.factors.emplace_back();
    else
      out.factors.back() += c;
  return out;
}

/// All letters differ: no axis is in both factors.
Axes of_convolution(const Emitter& out, const std::vector<Ref>& operands) {
  const size_t rank = out.rank(operands[0]);
  return {{std::string(rank, 'x'), std::string(rank, 'w')}, ""};
}

/// Empty if `op` is not a product.
Axes axes_of(const Emitter& out, std::string_view op, const std::vector<Ref>& operands,
             const Attributes& attributes) {
  if (op == "matmul") {
    const nnef::Value* transposes = find_attribute(attributes, "transposeB");
    return of_matmul(out.rank(operands[0]), transposes != nullptr && transposes->logical);
  }
  if (op == "linear") return of_matmul(out.rank(operands[0]), true);
  if (op == "tract_core_einsum") return of_einsum(find_attribute(attributes, "expr")->text);
  if (op == "conv" || op == "deconv") return of_convolution(out, operands);
  return {};
}

/// Whether another factor has all entries of the axis, so that this one may be reduced to one
/// entry.
bool is_in_other_factor(Emitter& out, const Axes& axes, const std::vector<Ref>& operands,
                        size_t factor, char axis) {
  if (axes.result.find(axis) == std::string::npos) return false;
  for (size_t i = 0; i < axes.factors.size(); ++i) {
    const size_t index = axes.factors[i].find(axis);
    if (i == factor || index == std::string::npos) continue;
    const TensorEntry& other = out.state().at(operands[i]);
    if (other.shape.at(index) != Dim(1) && !broadcast_axes_of(other).at(index)) return true;
  }
  return false;
}

bool needs_barrier(Emitter& out, const Axes& axes, const std::vector<Ref>& operands,
                   size_t factor) {
  const Flags is_broadcast = broadcast_axes_of(out.state().at(operands[factor]));
  for (size_t i = 0; i < is_broadcast.size(); ++i)
    if (is_broadcast[i] &&
        !is_in_other_factor(out, axes, operands, factor, axes.factors[factor].at(i)))
      return true;
  return false;
}

/// An axis with more than one entry; preferably with a known size.
size_t gathered_axis(const Shape& shape) {
  for (size_t i = 0; i < shape.size(); ++i)
    if (shape[i].is_constant() && shape[i].value() > 1) return i;
  for (size_t i = 0; i < shape.size(); ++i)
    if (!shape[i].is_constant()) return i;
  return 0;
}

Ref indices(Emitter& out, const Dim& count) {
  if (!count.is_constant()) return out.range(count);
  Ints all(count.value());
  std::iota(all.begin(), all.end(), 0);
  return out.constant(ir::tensor_of(DType::i64, {count.value()}, all), "positions");
}

/// Stores the flags. A tensor that tract knows to be one number is broadcast along all axes.
void note_flags(Emitter::State& state, const Flags& flags, Ref result) {
  TensorEntry& entry = state.at(result);
  const bool is_number = entry.followed == TensorEntry::Followed::number;
  entry.broadcast_axes.clear();
  for (size_t i = 0; i < flags.size(); ++i)
    if (flags[i] || (is_number && entry.shape[i] != Dim(1)))
      entry.broadcast_axes.push_back(static_cast<int64_t>(i));
}

/// Whether the second factor is a packed weight in a matrix product or pointwise convolution. tract
/// splits such a product if the other factor is a concatenation, and aborts when it cuts the
/// blocks; it also reads wrong elements of rows that were permuted and joined.
bool has_packed(Emitter& out, std::string_view op, const std::vector<Ref>& operands) {
  if (operands.size() < 2 || !is_q4_0(out, operands[1])) return false;
  const Shape& weight = out.shape(operands[1]);
  return op != "conv" || std::all_of(weight.begin() + 2, weight.end(),
                                     [](const Dim& size) { return size == Dim(1); });
}

/// Whether the engine simplifies broadcasts.
bool folds_repeats(const Emitter& out) { return out.has(target::Feature::folds_repeats); }

}  // namespace

Ref gathered(Emitter& out, Ref x) {
  const Shape shape = out.shape(x);
  const size_t axis = gathered_axis(shape);
  return out.call("tract_core_gather", {x, indices(out, shape[axis])},
                  {{"axis", static_cast<int64_t>(axis)}}, out.dtype(x), shape);
}

void note_broadcast_axes(Emitter::State& state, std::string_view op,
                         const std::vector<Ref>& operands, const Attributes& attributes,
                         Ref result) {
  note_flags(state, broadcast_axes_after(state, op, operands, attributes, state.at(result).shape),
             result);
}

void note_elementwise_broadcast_axes(Emitter::State& state, const std::vector<Ref>& operands,
                                     Ref result) {
  note_flags(state, after_elementwise(state, operands, state.at(result).shape), result);
}

std::vector<Ref> broadcast_barriers(Emitter& out, std::string_view op,
                                    const std::vector<Ref>& operands,
                                    const Attributes& attributes) {
  const Axes axes = axes_of(out, op, operands, attributes);
  std::vector<Ref> guarded = operands;
  if (!axes.factors.empty() && has_packed(out, op, operands)) {
    guarded[0] = gathered(out, operands[0]);
    return guarded;
  }
  if (!folds_repeats(out)) return guarded;
  for (size_t i = 0; i < axes.factors.size(); ++i)
    if (needs_barrier(out, axes, operands, i)) guarded[i] = gathered(out, operands[i]);
  return guarded;
}

Ref broadcast_barriers(Emitter& out, Ref x) {
  const bool is_broadcast = folds_repeats(out) && any(broadcast_axes_of(out.state().at(x)));
  return is_broadcast ? gathered(out, x) : x;
}

}  // namespace t2n::ops
