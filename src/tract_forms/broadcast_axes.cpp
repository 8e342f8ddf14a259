// SPDX-License-Identifier: Apache-2.0
#include "src/tract_forms/broadcast_axes.h"

#include <algorithm>
#include <string>

namespace t2n::tract_forms {
namespace {

/// One flag per axis.
using Flags = std::vector<bool>;

bool any(const Flags& flags) { return std::find(flags.begin(), flags.end(), true) != flags.end(); }

/// A constant stores a broadcast axis once, see TensorEntry.
Flags broadcast_axes_of(const TractDraft& draft, Ref x) {
  const TensorEntry& entry = draft.at(x);
  Flags out(entry.shape.size());
  for (const int64_t axis : draft.facts(x).broadcast_axes) out[axis] = true;
  if (draft.is_constant(x) && entry.parts.size() == 1) {
    const ir::Tensor stored = draft::without_broadcast_axes(entry.parts[0]);
    for (size_t i = 0; i < out.size(); ++i) out[i] = stored.shape[i] != entry.parts[0].shape[i];
  }
  return out;
}

/// The axes that become longer, aligned at the last axis, and those that were broadcast before.
Flags after_broadcast(const Flags& before, const Shape& from, const Shape& shape) {
  Flags out(shape.size());
  const size_t added = shape.size() - from.size();
  for (size_t i = 0; i < shape.size(); ++i)
    out[i] = i < added ? shape[i] != Dim(1) : before[i - added] || from[i - added] != shape[i];
  return out;
}

/// If one axis of a group is broadcast, all of them are.
Flags after_reshape(const Flags& before, const Shape& before_shape, const Shape& shape) {
  Flags out(shape.size());
  size_t from = 0, to = 0;
  while (from < before.size() && to < shape.size()) {
    const size_t first = to;
    Dim count_from = before_shape[from], count_to = shape[to];
    bool is_broadcast = before[from++];
    ++to;
    while (count_from != count_to && (from < before.size() || to < shape.size())) {
      const bool takes_from =
          to == shape.size() || (from < before.size() && (count_from - count_to).is_constant() &&
                                 (count_from - count_to).value() < 0);
      if (takes_from) {
        is_broadcast = is_broadcast || before[from];
        count_from = count_from * before_shape[from++];
      } else {
        count_to = count_to * shape[to++];
      }
    }
    for (size_t i = first; i < to; ++i) out[i] = is_broadcast && shape[i] != Dim(1);
  }
  return out;
}

Flags after_transpose(const Flags& before, const Attributes& attributes) {
  Flags out;
  for (const nnef::Value& axis : find(attributes, "axes")->items)
    out.push_back(before.at(axis.integer));
  return out;
}

/// An axis is broadcast if it is in one of the parts.
Flags after_concat(const TractDraft& draft, const Refs& parts, size_t rank) {
  Flags out(rank);
  for (const Ref part : parts) {
    const Flags before = broadcast_axes_of(draft, part);
    for (size_t i = 0; i < rank; ++i) out[i] = out[i] || before[i];
  }
  return out;
}

/// An axis is broadcast if the entries of no operand differ along it.
Flags after_elementwise(const TractDraft& draft, const Refs& operands, const Shape& shape) {
  Flags out(shape.size(), true);
  for (size_t i = 0; i < shape.size(); ++i) out[i] = shape[i] != Dim(1);
  for (const Ref ref : operands) {
    const Shape& from = draft.at(ref).shape;
    const Flags before = broadcast_axes_of(draft, ref);
    if (before.size() > shape.size()) return Flags(shape.size());
    const size_t added = shape.size() - before.size();
    for (size_t i = 0; i < before.size(); ++i)
      out[added + i] = out[added + i] && (before[i] || from[i] == Dim(1));
  }
  return out;
}

constexpr std::string_view kSameOrder[] = {"reshape", "squeeze", "unsqueeze"};

Flags broadcast_axes_after(const TractDraft& draft, std::string_view op, const Refs& operands,
                           const Attributes& attributes, const Shape& shape) {
  if (operands.empty()) return Flags(shape.size());
  if (op == "concat") return after_concat(draft, operands, shape.size());
  const Shape& from = draft.at(operands[0]).shape;
  const Flags before = broadcast_axes_of(draft, operands[0]);
  if (op == "tract_core_broadcast" || op == "tile") return after_broadcast(before, from, shape);
  if (op == "transpose") return after_transpose(before, attributes);
  if (std::find(std::begin(kSameOrder), std::end(kSameOrder), op) != std::end(kSameOrder))
    return after_reshape(before, from, shape);
  // Slices keep broadcast axes; fragments of one operand are mostly elementwise.
  if (op == "slice" || (operands.size() == 1 && from == shape))
    return from.size() == shape.size() ? before : Flags(shape.size());
  return Flags(shape.size());
}

/// A letter for each axis of the factors and of the result, as in an einsum.
struct Axes {
  std::vector<std::string> factors;
  std::string result;
};

Axes of_matmul(size_t rank, bool transposes_b) {
  const std::string batch = std::string("abcdefghij").substr(0, rank < 2 ? 0 : rank - 2);
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
Axes of_convolution(size_t rank) { return {{std::string(rank, 'x'), std::string(rank, 'w')}, ""}; }

/// Empty if `op` is not a product.
Axes axes_of(const TractDraft& draft, std::string_view op, const Refs& operands,
             const Attributes& attributes) {
  const auto rank = [&] { return draft.at(operands[0]).shape.size(); };
  if (op == "matmul") {
    const nnef::Value* transposes = find(attributes, "transposeB");
    return of_matmul(rank(), transposes != nullptr && transposes->logical);
  }
  if (op == "linear") return of_matmul(rank(), true);
  if (op == "tract_core_einsum") return of_einsum(find(attributes, "expr")->text);
  if (op == "conv" || op == "deconv") return of_convolution(rank());
  return {};
}

/// Whether another factor has all entries of the axis, so that this one may be reduced to one
/// entry.
bool is_in_other_factor(const TractDraft& draft, const Axes& axes, const Refs& operands,
                        size_t factor, char axis) {
  if (axes.result.find(axis) == std::string::npos) return false;
  for (size_t i = 0; i < axes.factors.size(); ++i) {
    const size_t index = axes.factors[i].find(axis);
    if (i == factor || index == std::string::npos) continue;
    const Ref other = operands[i];
    if (draft.at(other).shape.at(index) != Dim(1) && !broadcast_axes_of(draft, other).at(index))
      return true;
  }
  return false;
}

bool needs_barrier(const TractDraft& draft, const Axes& axes, const Refs& operands, size_t factor) {
  const Flags is_broadcast = broadcast_axes_of(draft, operands[factor]);
  for (size_t i = 0; i < is_broadcast.size(); ++i)
    if (is_broadcast[i] &&
        !is_in_other_factor(draft, axes, operands, factor, axes.factors[factor].at(i)))
      return true;
  return false;
}

/// A tensor that tract knows to be one number is broadcast along all axes.
Ints axes_with(const TractDraft& draft, const Flags& flags, Ref result) {
  const bool is_number = draft.facts(result).elements == Facts::Elements::number;
  Ints out;
  for (size_t i = 0; i < flags.size(); ++i)
    if (flags[i] || (is_number && draft.at(result).shape[i] != Dim(1)))
      out.push_back(static_cast<int64_t>(i));
  return out;
}

/// Whether the second factor is a packed weight in a matrix product or pointwise convolution. tract
/// splits such a product if the other factor is a concatenation, and aborts when it cuts the
/// blocks; it also reads wrong elements of rows that were permuted and joined.
bool has_packed(const TractDraft& draft, std::string_view op, const Refs& operands) {
  if (operands.size() < 2 || !draft.at(operands[1]).is_q4_0) return false;
  const Shape& weight = draft.at(operands[1]).shape;
  return op != "conv" || std::all_of(weight.begin() + 2, weight.end(),
                                     [](const Dim& size) { return size == Dim(1); });
}

}  // namespace

Ints known_broadcast_axes(const TractDraft& draft, std::string_view op, const Refs& operands,
                          const Attributes& attributes, Ref result) {
  return axes_with(
      draft, broadcast_axes_after(draft, op, operands, attributes, draft.at(result).shape), result);
}

Ints known_broadcast_axes(const TractDraft& draft, const Refs& operands, Ref result) {
  return axes_with(draft, after_elementwise(draft, operands, draft.at(result).shape), result);
}

Barriers broadcast_barriers(const TractDraft& draft, std::string_view op, const Refs& operands,
                            const Attributes& attributes) {
  const Axes axes = axes_of(draft, op, operands, attributes);
  if (!axes.factors.empty() && has_packed(draft, op, operands))
    return {{0, Cause::packed_after_concat}};
  if (!draft.has(target::Feature::folds_repeats)) return {};
  Barriers out;
  for (size_t i = 0; i < axes.factors.size(); ++i)
    if (needs_barrier(draft, axes, operands, i)) out.push_back({i, Cause::broadcast_factor});
  return out;
}

bool needs_broadcast_barrier(const TractDraft& draft, Ref x) {
  return draft.has(target::Feature::folds_repeats) && any(broadcast_axes_of(draft, x));
}

}  // namespace t2n::tract_forms
