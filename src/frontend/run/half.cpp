// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/run/half.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace t2n::trace {
namespace {

using torch::jit::Stack;

/// Tensors of a value: the value itself, or the elements of a list.
std::vector<at::Tensor> tensors_of(const c10::IValue& value) {
  if (value.isTensor()) return {value.toTensor()};
  std::vector<at::Tensor> out;
  if (value.isList())
    for (const c10::IValue& element : value.toListRef())
      if (element.isTensor()) out.push_back(element.toTensor());
  return out;
}

bool is_half(at::ScalarType type) { return type == at::kHalf || type == at::kBFloat16; }

/// The 16-bit type of all float operands. None if they mix types: an operator that refuses mixed
/// types must see them, and one that promotes has a kernel for the result.
std::optional<at::ScalarType> common_half(const Stack& stack) {
  std::optional<at::ScalarType> common;
  for (const c10::IValue& value : stack)
    for (const at::Tensor& tensor : tensors_of(value)) {
      if (!tensor.defined()) continue;
      const at::ScalarType type = tensor.scalar_type();
      if (!at::isFloatingType(type) && !at::isComplexType(type)) continue;
      if (!is_half(type) || (common && *common != type)) return {};
      common = type;
    }
  return common;
}

/// The value with floats of one type converted to another. A list is copied: the model may hold it.
c10::IValue converted(const c10::IValue& value, at::ScalarType from, at::ScalarType to) {
  const auto is_from = [&](const c10::IValue& each) {
    return each.isTensor() && each.toTensor().defined() && each.toTensor().scalar_type() == from;
  };
  if (is_from(value)) return value.toTensor().to(to);
  if (!value.isList()) return value;
  const c10::List<c10::IValue> list = value.toList();
  if (std::none_of(list.begin(), list.end(), is_from)) return value;
  c10::impl::GenericList out(list.elementType());
  for (const c10::IValue& element : list)
    out.push_back(is_from(element) ? element.toTensor().to(to) : element);
  return out;
}

/// Runs in f32 and rounds back: for 16-bit types that the CPU has no kernel for, or a very slow
/// one.
void run_in_float(const Run& run, Stack& stack, at::ScalarType half) {
  for (c10::IValue& value : stack) value = converted(value, half, at::kFloat);
  run(stack);
  for (c10::IValue& value : stack) value = converted(value, at::kFloat, half);
}

/// True for convolutions whose operands have one type. The operator itself refuses a mix of
/// integers and 16-bit floats.
bool is_slow_in_half(const std::string& name, const Stack& stack, at::ScalarType half) {
  return name.find("conv") != std::string::npos &&
         std::all_of(stack.begin(), stack.end(), [&](const c10::IValue& value) {
           const std::vector<at::Tensor> tensors = tensors_of(value);
           return std::all_of(tensors.begin(), tensors.end(), [&](const at::Tensor& tensor) {
             return !tensor.defined() || tensor.scalar_type() == half;
           });
         });
}

thread_local bool halves_are_native = false;

}  // namespace

NativeHalves::NativeHalves() : before_(std::exchange(halves_are_native, true)) {}
NativeHalves::~NativeHalves() { halves_are_native = before_; }

void run_with_halves(const torch::jit::Operator& op, const Run& run, Stack& stack) {
  const std::optional<at::ScalarType> half =
      op.schema().is_mutable() ? std::nullopt : common_half(stack);
  if (!half) return run(stack);
  if (!halves_are_native && is_slow_in_half(op.schema().name(), stack, *half))
    return run_in_float(run, stack, *half);
  const Stack before = stack;
  try {
    run(stack);
  } catch (const c10::NotImplementedError&) {
    stack = before;
    run_in_float(run, stack, *half);
  }
}

}  // namespace t2n::trace
