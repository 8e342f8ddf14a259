// SPDX-License-Identifier: Apache-2.0
// Numbers in tensors of rank 0, as traced programs have sizes, and short lists of sizes in tensors
// of rank 1, as traced torchvision models have them: `torch._shape_as_tensor(x)`, concatenations of
// its parts with numbers, their minimum. And numbers from data that the options fix.
#include <ATen/core/Tensor.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "src/diag/error.h"
#include "src/diag/one_of.h"
#include "src/frontend/numbers/ratios.h"
#include "src/frontend/run/tensor_numbers.h"

namespace t2n::trace {
namespace {

using torch::jit::Stack;

bool holds_integers(const at::Tensor& tensor) {
  return at::isIntegralType(tensor.scalar_type(), false);
}

bool is_scalar_tensor(const c10::IValue& value) {
  if (!value.isTensor() || !value.toTensor().defined() || value.toTensor().dim() != 0) return false;
  const at::ScalarType type = value.toTensor().scalar_type();
  return at::isIntegralType(type, false) || at::isFloatingType(type);
}

c10::IValue number_of_tensor(const at::Tensor& tensor) {
  return holds_integers(tensor) ? c10::IValue(tensor.item().toLong())
                                : c10::IValue(tensor.item().toDouble());
}

/// The scalar operator that is equivalent to a tensor operator on tensors of rank 0; "" if there is
/// none.
std::string scalar_name(const std::string& name, const Stack& inputs, const at::Tensor& result) {
  constexpr std::array<std::string_view, 8> kConversions = {
      "aten::to",  "aten::_to_copy", "aten::float", "aten::double",
      "aten::int", "aten::long",     "aten::type",  "aten::type_as"};
  const char* const same = holds_integers(result) ? "aten::Int" : "aten::Float";
  if (is_one_of(name, kConversions)) return same;
  constexpr std::array<std::string_view, 7> kSame = {
      "prim::NumToTensor", "aten::tensor", "aten::scalar_tensor", "aten::clone",
      "aten::detach",      "aten::copy",   "aten::fill"};
  if (is_one_of(name, kSame)) return same;
  constexpr std::array<std::string_view, 3> kLess = {"aten::min", "aten::minimum",
                                                     "aten::clamp_max"};
  constexpr std::array<std::string_view, 3> kMore = {"aten::max", "aten::maximum",
                                                     "aten::clamp_min"};
  if (is_one_of(name, kLess)) return inputs.size() == 2 ? "prim::min" : "";
  if (is_one_of(name, kMore)) return inputs.size() == 2 ? "prim::max" : "";
  if (name == "aten::div" && inputs.size() == 3) {
    const bool floors = inputs[2].isString() && inputs[2].toStringRef() == "floor";
    return floors && holds_integers(result) ? "aten::floordiv" : "";
  }
  return name;
}

/// The largest size that is expected if numbers are stored in short dtypes.
constexpr int64_t kLargestSize = 1 << 16;

double magnitude(const ir::Dim& number);

double magnitude(const ir::Atom& atom) {
  const ir::Operands* const operands = ir::operands_of(atom);
  if (operands == nullptr) return kLargestSize;
  if (std::holds_alternative<ir::Mod>(atom)) return magnitude(operands->b);
  const double a = magnitude(operands->a);
  return std::holds_alternative<ir::FloorDiv>(atom) ? a + 1 : std::max(a, magnitude(operands->b));
}

double magnitude(const ir::Dim& number) {
  double sum = std::abs(static_cast<double>(number.constant_part()));
  if (number.is_constant()) return sum;
  for (const ir::Term& term : number.terms()) {
    double product = std::abs(static_cast<double>(term.factor));
    for (const ir::Atom& atom : term.atoms) product *= magnitude(atom);
    sum += product;
  }
  return sum;
}

/// The largest magnitude of a number; nothing if it is not known.
std::optional<double> magnitude(const Operand& operand) {
  if (!operand.mark) return std::abs(operand.number.toScalar().toDouble());
  if (const auto size = size_of(operand)) return magnitude(*size);
  if (const auto ratio = ratio_of(operand.mark)) return magnitude(ratio->number);
  return std::nullopt;
}

/// Whether the dtype of a result represents the scalar operator's result exactly: narrow integers
/// wrap around, and short mantissas round.
bool is_representable(const std::string& scalar, const at::Tensor& result,
                      const std::vector<Operand>& operands) {
  const at::ScalarType type = result.scalar_type();
  if (type == at::kLong || type == at::kDouble) return true;
  if (type != at::kFloat && type != at::kInt) return false;
  constexpr double kFloatLimit = 1 << 24, kIntLimit = INT32_MAX;
  const bool is_product = scalar == "aten::mul" || scalar == "aten::pow";
  double bound = is_product ? 1 : 0;
  for (const Operand& operand : operands) {
    const auto part = magnitude(operand);
    if (!part) return false;
    bound = is_product ? bound * *part : bound + *part;
  }
  return bound <= (type == at::kInt ? kIntLimit : kFloatLimit);
}

/// Whether the operand affects the number. alpha does not, nor dtype and device of factories.
bool takes_part(const std::string& name, const Stack& inputs, size_t index) {
  if (name == "aten::copy" || name == "aten::fill") return index == 1;
  if (index == 0) return true;
  if (name == "aten::add" || name == "aten::sub" || name == "aten::rsub") return index == 1;
  constexpr std::array<std::string_view, 12> kOfTwo = {
      "aten::mul",      "aten::div",     "aten::floor_divide", "aten::remainder",
      "aten::floordiv", "aten::pow",     "aten::min",          "aten::minimum",
      "aten::max",      "aten::maximum", "aten::clamp_min",    "aten::clamp_max"};
  return index == 1 && inputs.size() <= 3 && !inputs[1].isNone() &&
         (inputs[1].isTensor() || is_number(inputs[1])) && is_one_of(name, kOfTwo);
}

bool has_plain_alpha(const Stack& inputs) {
  return inputs.size() < 3 || (inputs[2].isInt() && inputs[2].toInt() == 1);
}

/// The name of the out-of-place form: "aten::mul" for "aten::mul_".
std::string without_write(const std::string& name) {
  return name.ends_with("_") && !name.ends_with("__") ? name.substr(0, name.size() - 1) : name;
}

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

void TensorNumbers::watch(const std::string& name, const Stack& inputs) {
  operands_.clear();
  if (recorder_ != nullptr && options_.keep_sizes) operands_ = numbers_among(name, inputs);
  reads_.reset();
}

std::optional<c10::IValue> TensorNumbers::number_in(const at::Tensor& tensor) const {
  if (!is_scalar_tensor(tensor) || !holds_integers(tensor)) return std::nullopt;
  const auto number = number_mark(tensor);
  if (number ? *number && !is_size(*number) : recorder_->mark(tensor) != nullptr)
    return std::nullopt;
  return marked(tensor.item().toLong(), number.value_or(nullptr));
}

/// The operands of an operation on numbers; none if no operand has a mark, or if one is not a
/// number.
std::vector<Operand> TensorNumbers::numbers_among(const std::string& name,
                                                  const Stack& inputs) const {
  std::vector<Operand> operands;
  bool any = false;
  const std::string pure = without_write(name);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!takes_part(pure, inputs, i)) continue;
    Operand operand{unmarked(inputs[i]), mark_of(inputs[i])};
    if (inputs[i].isTensor()) {
      if (!is_scalar_tensor(inputs[i])) return {};
      const at::Tensor& tensor = inputs[i].toTensor();
      const auto number = number_mark(tensor);
      operand = {number_of_tensor(tensor), number.value_or(nullptr)};
      if (!number && recorder_->mark(tensor)) return {};
      any = any || number;
    }
    any = any || operand.mark;
    operands.push_back(std::move(operand));
  }
  return any ? operands : std::vector<Operand>();
}

/// Marks a number that an operation computed from `operands_`, which were read before it ran.
void TensorNumbers::follow_number(const std::string& name, const Stack& inputs,
                                  const at::Tensor& result) {
  if (name == "prim::NumToTensor" && options_.met_size_tensors != nullptr)
    *options_.met_size_tensors = *options_.met_size_tensors || mark_of(inputs[0]) != nullptr;
  if (operands_.empty() || !is_scalar_tensor(result) || !recorder_->aliases().knows(result) ||
      is_data(recorder_->mark(result)))
    return;
  const std::string pure = without_write(name);
  const bool is_sum = pure == "aten::add" || pure == "aten::sub" || pure == "aten::rsub";
  if (is_sum && !has_plain_alpha(inputs)) return;
  const std::string scalar = scalar_name(pure, inputs, result);
  if (scalar.empty() || !is_representable(scalar, result, operands_)) return;
  const bool is_short = result.scalar_type() == at::kFloat;
  constexpr int kShort = 24, kLong = 53;
  std::vector<Operand> operands = operands_;
  for (Operand& each : operands)
    if (is_short && !each.mark && each.number.isDouble())
      each.number = static_cast<double>(static_cast<float>(each.number.toDouble()));
  const auto mark = number_rule(scalar, operands, is_short ? kShort : kLong);
  if (!mark) return;
  guard_rounding(scalar, *mark, operands);
  recorder_->set_numbers(result, {*mark});
}

/// A number that was rounded to an integer is an expression up to some size.
void TensorNumbers::guard_rounding(const std::string& scalar, const Mark& mark,
                                   const std::vector<Operand>& operands) {
  if (!is_size(mark) || operands.size() != 1) return;
  decisions_.add_guards(rounding_guards(scalar, operands[0]));
}

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
  const auto all = folded(scalar, numbers);
  return all ? std::vector<Operand>{*all} : std::vector<Operand>();
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

c10::IValue TensorNumbers::fixed_number(const c10::IValue& number) {
  const std::pair<const void*, int64_t> key = {position_.node, fixed_[position_.node]++};
  const auto first = [&](auto value) {
    const auto& known = options_.fixed_numbers->try_emplace(key, value).first->second;
    const auto* const number_then = std::get_if<decltype(value)>(&known);
    return c10::IValue(number_then == nullptr ? value : *number_then);
  };
  if (number.isBool()) return first(number.toBool());
  if (number.isInt()) return first(number.toInt());
  return number.isDouble() ? first(number.toDouble()) : number;
}

c10::IValue TensorNumbers::marked_number(const c10::IValue& number, const Mark& mark) {
  const bool is_fixed = is_data(mark) && options_.fixed_numbers != nullptr;
  return is_fixed ? fixed_number(number) : marked(number, mark);
}

}  // namespace t2n::trace
