// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/run/fixed_branch.h"

#include <algorithm>

#include "src/frontend/numbers/mark.h"

namespace t2n::trace {
namespace {

using ir::Dim;
using torch::jit::Stack;
using FixedCondition = Decisions::FixedCondition;

bool requires_odd(const FixedCondition& condition) {
  return condition.remainder && condition.remainder->second == 2;
}

/// `count` where the size is odd, otherwise 0.
c10::IValue if_odd(const FixedCondition& condition, int64_t count) {
  return marked(condition.holds ? count : 0, size_mark(Dim(count) * condition.remainder->first));
}

c10::IValue amounts_if_odd(const FixedCondition& condition, const c10::IValue& amounts) {
  if (!amounts.isList()) return amounts;
  c10::impl::GenericList out(c10::IntType::get());
  for (const c10::IValue& each : amounts.toListRef().vec()) {
    const int64_t count = mark_of(each) || !each.isInt() ? 0 : each.toInt();
    out.push_back(count == 0 ? each : if_odd(condition, count));
  }
  return out;
}

/// The end of a slice of an axis with `count` entries; `size` is their symbolic number.
c10::IValue end_in(const std::vector<FixedCondition>& fixed, const c10::IValue& end, int64_t count,
                   const Dim& size) {
  const Mark mark = mark_of(end);
  if (!unmarked(end).isInt()) return end;
  const int64_t value = unmarked(end).toInt();
  for (const FixedCondition& condition : fixed) {
    if (!condition.remainder) continue;
    const auto& [remainder, divisor] = *condition.remainder;
    if (is_size(mark) && *exact_size(mark) + remainder == Dim(0))
      return marked(count + value, size_mark(size - remainder));
    if (!mark && value < 0 && divisor == 2)
      return marked(condition.holds ? count + value : count,
                    size_mark(size + Dim(value) * remainder));
  }
  return end;
}

/// The operands of `cat`: what existed before the branch stays, the rest is cut. Constants have no
/// entry; torch leaves an empty tensor of one axis out.
c10::IValue parts_if_odd(const FixedCondition& condition, const AliasTable& aliases,
                         ComputedNumbers& computed, const c10::IValue& parts,
                         int64_t axis_argument) {
  std::vector<at::Tensor> tensors = parts.toTensorVector();
  const auto is_earlier = [&](const at::Tensor& part) {
    const int entry = aliases.find(part);
    return entry >= 0 && entry < condition.entries;
  };
  if (std::none_of(tensors.begin(), tensors.end(), is_earlier)) return parts;
  for (at::Tensor& part : tensors) {
    if (is_earlier(part) || (part.dim() == 1 && part.numel() == 0)) continue;
    const int64_t axis = at::maybe_wrap_dim(axis_argument, part.dim());
    part = computed.recorded("aten::slice", "Tensor",
                             {part, axis, 0, if_odd(condition, part.size(axis)), 1});
  }
  return c10::List<at::Tensor>(tensors);
}

}  // namespace

void adapt_to_fixed(const std::vector<FixedCondition>& fixed, const TensorNumbers& numbers,
                    const AliasTable& aliases, ComputedNumbers& computed,
                    const c10::FunctionSchema& schema, Stack& inputs) {
  const std::string& name = schema.name();
  const auto odd = std::find_if(fixed.rbegin(), fixed.rend(), requires_odd);
  if (odd != fixed.rend() && (name == "aten::pad" || name == "aten::constant_pad_nd"))
    inputs[1] = amounts_if_odd(*odd, inputs[1]);
  if (odd != fixed.rend() && name == "aten::cat" && inputs[1].isInt())
    inputs[0] = parts_if_odd(*odd, aliases, computed, inputs[0], inputs[1].toInt());
  if (name != "aten::slice" || !inputs[0].isTensor() || inputs[0].toTensor().dim() == 0) return;
  const at::Tensor& tensor = inputs[0].toTensor();
  const int64_t axis = at::maybe_wrap_dim(unmarked(inputs[1]).toInt(), tensor.dim());
  const Mark size = numbers.axis_mark(tensor, axis);
  const int64_t count = tensor.size(axis);
  if (!size || is_size(size)) inputs[3] = end_in(fixed, inputs[3], count, size_or(size, count));
}

}  // namespace t2n::trace
