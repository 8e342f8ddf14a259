#include "src/trace/half.h"

#include <algorithm>
#include <string>

namespace t2n::trace {
namespace {

using torch::jit::Stack;

bool has_half(const Stack& stack) {
  return std::any_of(stack.begin(), stack.end(), [](const c10::IValue& value) {
    return value.isTensor() && value.toTensor().defined() &&
           (value.toTensor().scalar_type() == at::kHalf ||
            value.toTensor().scalar_type() == at::kBFloat16);
  });
}

/// Runs in f32 and rounds back: for 16-bit types that the CPU has no kernel for, or a very slow
/// one.
void run_in_float(const Run& run, Stack& stack) {
  at::ScalarType type = at::kHalf;
  for (c10::IValue& value : stack) {
    if (!value.isTensor() || !value.toTensor().defined()) continue;
    const at::ScalarType own = value.toTensor().scalar_type();
    if (own != at::kHalf && own != at::kBFloat16) continue;
    type = own;
    value = value.toTensor().to(at::kFloat);
  }
  run(stack);
  for (c10::IValue& value : stack)
    if (value.isTensor() && value.toTensor().scalar_type() == at::kFloat)
      value = value.toTensor().to(type);
}

bool is_slow_in_half(const std::string& name) { return name.find("conv") != std::string::npos; }

}  // namespace

void run_with_halves(const torch::jit::Operator& op, const Run& run, Stack& stack) {
  const std::string& name = op.schema().name();
  if (has_half(stack) && is_slow_in_half(name) && !op.schema().is_mutable())
    return run_in_float(run, stack);
  const bool may_retry = has_half(stack) && !op.schema().is_mutable();
  const Stack before = may_retry ? stack : Stack();
  try {
    run(stack);
  } catch (const c10::NotImplementedError&) {
    if (!may_retry) throw;
    stack = before;
    run_in_float(run, stack);
  }
}

}  // namespace t2n::trace
