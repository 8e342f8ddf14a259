// Tensors that are made of computed numbers, or selected by them.
#include <ATen/Functions.h>

#include <algorithm>
#include <array>

#include "src/diag/one_of.h"
#include "src/frontend/record/computed_numbers.h"

namespace t2n::trace {
namespace {

using torch::jit::Stack;

int64_t default_type(const c10::IValue& number) {
  return static_cast<int64_t>(number.isBool()  ? at::kBool
                              : number.isInt() ? at::kLong
                                               : at::kFloat);
}

/// The position of the number that an operation fills a tensor with.
size_t number_index(const std::string& name) {
  if (name == "aten::new_full") return 2;
  return name == "aten::full" || name == "aten::full_like" ? 1 : 0;
}

}  // namespace

/// torch.tensor([n, 2 * n]): the numbers as tensors, stacked. Nothing if a graph cannot compute one
/// of them, or if none depends on sizes or values.
std::optional<at::Tensor> ComputedNumbers::stacked(const Stack& inputs) {
  if (!inputs[0].isList() || marks_.of(inputs[0])) return std::nullopt;
  const auto list = inputs[0].toListRef();
  bool any = false, has_floats = false, are_bools = true;
  for (const c10::IValue& each : list) {
    const c10::IValue number = unmarked(each);
    if (!is_number(number)) return std::nullopt;
    const Mark mark = mark_of(each);
    if (mark && !is_size(mark) && !formula_of(each)) return std::nullopt;
    any = any || mark;
    has_floats = has_floats || number.isDouble();
    are_bools = are_bools && number.isBool();
  }
  if (!any) return std::nullopt;
  const at::ScalarType default_dtype = are_bools ? at::kBool : has_floats ? at::kFloat : at::kLong;
  const int64_t type = inputs[1].isNone() ? static_cast<int64_t>(default_dtype) : inputs[1].toInt();
  c10::List<at::Tensor> elements;
  for (const c10::IValue& each : list) {
    const bool is_computed = graph_formula(each) || each.isBool();
    const at::Tensor part =
        is_computed ? computed(*formula_of(each)) : recorded("prim::NumToTensor", "Scalar", {each});
    elements.push_back(recorded("aten::to", "dtype", {part, type, false, false, c10::IValue()}));
  }
  return recorded("aten::stack", "", {elements, 0});
}

/// A tensor filled with one number. `inputs`: the number, after a size or tensor if the operation
/// takes one; then a dtype.
at::Tensor ComputedNumbers::filled(const std::string& name, const Stack& inputs) {
  const size_t position = number_index(name);
  const c10::IValue number = unmarked(inputs[position]);
  const bool has_type = inputs.size() > position + 1 && !inputs[position + 1].isNone();
  const bool is_like = position > 0 && name != "aten::full";
  const int64_t default_dtype = is_like ? static_cast<int64_t>(inputs[0].toTensor().scalar_type())
                                : name == "aten::scalar_tensor" ? static_cast<int64_t>(at::kFloat)
                                : name == "prim::NumToTensor" && number.isDouble()
                                    ? static_cast<int64_t>(at::kDouble)
                                    : default_type(number);
  const int64_t type = has_type ? inputs[position + 1].toInt() : default_dtype;
  at::Tensor out =
      cast(computed(*graph_formula(inputs[position])), static_cast<at::ScalarType>(type));
  if (name == "aten::full_like")
    out = recorded("aten::expand_as", "", {out, inputs[0]});
  else if (position > 0)
    out = recorded("aten::expand", "", {out, inputs[name == "aten::full" ? 0 : 1], false});
  return recorded("aten::clone", "", {out, static_cast<int64_t>(at::MemoryFormat::Contiguous)});
}

bool ComputedNumbers::fills(const std::string& name, const Stack& inputs) {
  constexpr std::array<std::string_view, 6> kFilled = {"aten::tensor",      "aten::scalar_tensor",
                                                       "prim::NumToTensor", "aten::full",
                                                       "aten::full_like",   "aten::new_full"};
  const size_t position = number_index(name);
  return is_one_of(name, kFilled) && inputs.size() > position && graph_formula(inputs[position]);
}

c10::IValue ComputedNumbers::with_tensors(const c10::IValue& result) {
  if (is_number(result)) {
    const Mark mark = mark_of(result);
    const FormulaRef formula = truth_of(mark) ? truth_of(mark) : formula_of(result);
    if (!mark || !formula) return result;
    const at::Tensor number = computed(*formula);
    return formula->type == FormulaType::floating ? cast(number, at::kFloat) : number;
  }
  if (marks_.of(result) || !marks_.reach(result)) return result;
  if (result.isTuple()) {
    std::vector<c10::IValue> elements;
    for (const c10::IValue& each : result.toTupleRef().elements())
      elements.push_back(with_tensors(each));
    return tuple_like(result, std::move(elements));
  }
  if (result.isList()) {
    c10::impl::GenericList out(c10::AnyType::get());
    for (const c10::IValue& each : result.toListRef()) out.push_back(with_tensors(each));
    return out;
  }
  if (!result.isGenericDict()) return result;
  const auto dictionary = result.toGenericDict();
  c10::impl::GenericDict out(dictionary.keyType(), c10::AnyType::get());
  for (const auto& entry : dictionary) out.insert(entry.key(), with_tensors(entry.value()));
  return out;
}

/// x[n]. The result is a copy, where torch gives a view.
std::optional<at::Tensor> ComputedNumbers::selected(const Stack& inputs) {
  if (!is_read(inputs[2]) || marks_.of(inputs[1])) return std::nullopt;
  const at::Tensor self = inputs[0].toTensor();
  const int64_t dim = inputs[1].toInt();
  c10::List<std::optional<at::Tensor>> indices;
  for (int64_t i = 0; i < (dim < 0 ? dim + self.dim() : dim); ++i) indices.push_back(std::nullopt);
  indices.push_back(computed(*data_formula(mark_of(inputs[2]))));
  const size_t roots_before = recorder_.aliases().roots();
  const at::Tensor out = recorded("aten::index", "Tensor", {self, indices});
  recorder_.aliases().forbid_writes({{out, self, self}}, {self, self}, roots_before);
  return out;
}

std::optional<at::Tensor> ComputedNumbers::record_from_numbers(const std::string& name,
                                                               const Stack& inputs,
                                                               bool computes_sizes) {
  if (name == "aten::select" && inputs.size() == 3 && is_number(inputs[2])) return selected(inputs);
  if ((name == "aten::tensor" || name == "aten::as_tensor") && inputs[0].isList())
    return stacked(inputs);
  if (!fills(name, inputs) || !(computes_sizes || is_read(inputs[number_index(name)])))
    return std::nullopt;
  return filled(name, inputs);
}

}  // namespace t2n::trace
