// Tensors that are made of computed numbers, or selected by them.
#include <ATen/Functions.h>

#include <algorithm>
#include <array>

#include "src/diag/one_of.h"
#include "src/trace/computed_numbers.h"

namespace t2n::trace {
namespace {

using torch::jit::Stack;

int64_t default_type(const c10::IValue& number) {
  return static_cast<int64_t>(number.isBool()  ? at::kBool
                              : number.isInt() ? at::kLong
                                               : at::kFloat);
}

}  // namespace

/// torch.tensor([n, 2 * n]): the numbers as tensors, stacked. Nothing if a graph cannot compute one
/// of them, or if none follows from sizes or values.
std::optional<at::Tensor> ComputedNumbers::stacked(const Stack& inputs) {
  if (!inputs[0].isList() || marks_.of(inputs[0])) return std::nullopt;
  const auto list = inputs[0].toListRef();
  bool any = false, has_reals = false, are_truths = true;
  for (const c10::IValue& each : list) {
    const c10::IValue number = unmarked(each);
    if (!is_number(number)) return std::nullopt;
    const Mark mark = mark_of(each);
    if (mark && !is_size(mark) && !formula_of(each)) return std::nullopt;
    any = any || mark;
    has_reals = has_reals || number.isDouble();
    are_truths = are_truths && number.isBool();
  }
  if (!any) return std::nullopt;
  const at::ScalarType own = are_truths ? at::kBool : has_reals ? at::kFloat : at::kLong;
  const int64_t type = inputs[1].isNone() ? static_cast<int64_t>(own) : inputs[1].toInt();
  c10::List<at::Tensor> alike;
  for (const c10::IValue& each : list) {
    const Mark mark = mark_of(each);
    const bool is_computed = (mark && mark->formula) || each.isBool();
    const at::Tensor part =
        is_computed ? computed(*formula_of(each)) : recorded("prim::NumToTensor", "Scalar", {each});
    alike.push_back(recorded("aten::to", "dtype", {part, type, false, false, c10::IValue()}));
  }
  return recorded("aten::stack", "", {alike, 0});
}

/// A tensor that holds one number everywhere. `inputs`: the number first, or behind a size or
/// tensor; then a dtype.
std::optional<at::Tensor> ComputedNumbers::filled(const std::string& name, const Stack& inputs) {
  constexpr std::array<std::string_view, 3> kScalars = {"aten::tensor", "aten::scalar_tensor",
                                                        "prim::NumToTensor"};
  const bool is_scalar = is_one_of(name, kScalars);
  const size_t at = is_scalar ? 0 : name == "aten::new_full" ? 2 : 1;
  if (inputs.size() <= at || !is_read(inputs[at])) return std::nullopt;
  const c10::IValue number = unmarked(inputs[at]);
  const bool has_type = inputs.size() > at + 1 && !inputs[at + 1].isNone();
  const bool is_like = !is_scalar && name != "aten::full";
  const int64_t own = is_like ? static_cast<int64_t>(inputs[0].toTensor().scalar_type())
                      : name == "aten::scalar_tensor" ? static_cast<int64_t>(at::kFloat)
                                                      : default_type(number);
  const int64_t type = has_type ? inputs[at + 1].toInt() : own;
  at::Tensor out =
      of_type(computed(*data_formula(mark_of(inputs[at]))), static_cast<at::ScalarType>(type));
  if (name == "aten::full_like")
    out = recorded("aten::expand_as", "", {out, inputs[0]});
  else if (!is_scalar)
    out = recorded("aten::expand", "", {out, inputs[name == "aten::full" ? 0 : 1], false});
  return recorded("aten::clone", "", {out, static_cast<int64_t>(at::MemoryFormat::Contiguous)});
}

/// x[n]. The result is a copy, where torch gives a view.
std::optional<at::Tensor> ComputedNumbers::selected(const Stack& inputs) {
  if (!is_read(inputs[2]) || marks_.of(inputs[1])) return std::nullopt;
  const at::Tensor self = inputs[0].toTensor();
  const int64_t dim = inputs[1].toInt();
  c10::List<std::optional<at::Tensor>> indices;
  for (int64_t i = 0; i < (dim < 0 ? dim + self.dim() : dim); ++i) indices.push_back(std::nullopt);
  indices.push_back(computed(*data_formula(mark_of(inputs[2]))));
  const size_t known = recorder_.tracks().roots();
  const at::Tensor out = recorded("aten::index", "Tensor", {self, indices});
  recorder_.forbid_writes({{out, self, self}}, {self, self}, known);
  return out;
}

std::optional<at::Tensor> ComputedNumbers::made(const std::string& name, const Stack& inputs) {
  constexpr std::array<std::string_view, 6> kFilled = {"aten::tensor",      "aten::scalar_tensor",
                                                       "prim::NumToTensor", "aten::full",
                                                       "aten::full_like",   "aten::new_full"};
  if (name == "aten::select" && inputs.size() == 3 && is_number(inputs[2])) return selected(inputs);
  if ((name == "aten::tensor" || name == "aten::as_tensor") && inputs[0].isList())
    return stacked(inputs);
  return is_one_of(name, kFilled) ? filled(name, inputs) : std::nullopt;
}

}  // namespace t2n::trace
