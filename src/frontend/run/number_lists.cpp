// Short lists of sizes in tensors of rank 1, as traced torchvision models have them:
// `torch._shape_as_tensor(x)`, concatenations of its parts with numbers, their minimum.
#include <ATen/core/Tensor.h>

#include <algorithm>
#include <array>

#include "src/diag/error.h"
#include "src/diag/one_of.h"
#include "src/frontend/run/tensor_numbers.h"

namespace t2n::trace {
namespace {

using torch::jit::Stack;

constexpr int64_t kLongest = 16;

bool is_list(const at::Tensor& tensor) {
  const at::ScalarType type = tensor.scalar_type();
  return (type == at::kLong || type == at::kInt) && tensor.dim() <= 1 && tensor.numel() > 0 &&
         tensor.numel() <= kLongest;
}

/// Operations whose results contain the same numbers in the same order, if they contain as many.
bool moves_numbers(const std::string& name) {
  constexpr std::array<std::string_view, 12> kNames = {
      "aten::unsqueeze", "aten::squeeze", "aten::view",       "aten::reshape",
      "aten::flatten",   "aten::clone",   "aten::contiguous", "aten::detach",
      "aten::alias",     "aten::to",      "aten::_to_copy",   "aten::long"};
  return is_one_of(name, kNames);
}

/// The binary operator that reduces the list to one number; "" if there is none.
std::string folding(const std::string& name, size_t operands) {
  if (operands != 1) return "";
  if (name == "aten::min" || name == "aten::max") return cat("prim::", name.substr(6));
  return "";
}

bool is_plain_number(const c10::IValue& number) { return number.isInt(); }

}  // namespace

std::optional<Mark> TensorNumbers::number_mark(const at::Tensor& tensor) const {
  const std::vector<Mark> known = recorder_->numbers(tensor);
  return known.size() == 1 ? std::optional(known[0]) : std::nullopt;
}

/// The numbers of a tensor with their marks; none if they are not known.
std::vector<Operand> TensorNumbers::operands_of(const at::Tensor& tensor) const {
  if (!tensor.defined() || !is_list(tensor)) return {};
  std::vector<Mark> marks = recorder_->numbers(tensor);
  if (marks.empty() && recorder_->mark(tensor)) return {};
  marks.resize(tensor.numel());
  const at::Tensor flat = tensor.reshape({-1}).to(at::kLong);
  std::vector<Operand> out;
  for (int64_t i = 0; i < flat.numel(); ++i) out.push_back({flat[i].item().toLong(), marks[i]});
  return out;
}

/// The numbers in the result of an operation; none if it has no rule.
std::vector<Operand> TensorNumbers::result_numbers(const std::string& name,
                                                   const Stack& inputs) const {
  if (inputs.empty()) return {};
  if (name == "aten::_shape_as_tensor") {
    const at::Tensor& tensor = inputs[0].toTensor();
    std::vector<Operand> out;
    for (int64_t axis = 0; axis < tensor.dim(); ++axis)
      out.push_back({tensor.size(axis), axis_mark(tensor, axis)});
    return out;
  }
  if (name == "aten::cat" || name == "aten::stack") {
    std::vector<Operand> out;
    for (const at::Tensor& part : flatten_tensors(inputs[0])) {
      const std::vector<Operand> numbers = operands_of(part);
      if (numbers.empty()) return {};
      out.insert(out.end(), numbers.begin(), numbers.end());
    }
    return out;
  }
  if (!inputs[0].isTensor()) return {};
  std::vector<Operand> numbers = operands_of(inputs[0].toTensor());
  if (numbers.empty() || moves_numbers(name)) return numbers;
  const auto count = static_cast<int64_t>(numbers.size());
  if (name == "aten::select" && is_plain_number(inputs[2])) {
    const int64_t index = inputs[2].toInt();
    return {numbers.at(index < 0 ? index + count : index)};
  }
  const std::string scalar = folding(name, inputs.size());
  if (scalar.empty()) return {};
  Operand all = numbers[0];
  for (size_t i = 1; i < numbers.size(); ++i) {
    const auto mark = number_rule(scalar, {all, numbers[i]});
    if (!mark) return {};
    const int64_t a = all.number.toInt(), b = numbers[i].number.toInt();
    all = {scalar == "prim::min" ? std::min(a, b) : std::max(a, b), *mark};
  }
  return {all};
}

void TensorNumbers::follow_list(const std::string& name, const Stack& inputs,
                                const at::Tensor& result) {
  if (!is_list(result) || !recorder_->aliases().knows(result) || !recorder_->mark(result) ||
      is_data(recorder_->mark(result)) || !recorder_->numbers(result).empty())
    return;
  const std::vector<Operand> numbers = result_numbers(name, inputs);
  if (numbers.size() != static_cast<size_t>(result.numel())) return;
  std::vector<Mark> marks;
  for (const Operand& each : numbers) {
    if (is_data(each.mark)) return;
    marks.push_back(each.mark);
  }
  recorder_->set_numbers(result, std::move(marks));
}

}  // namespace t2n::trace
