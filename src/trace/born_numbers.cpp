// Whole numbers that are read from tensors: as many entries are made of each, and counted.
#include "src/diag/error.h"
#include "src/diag/one_of.h"
#include "src/trace/operators.h"
#include "src/trace/tensor_numbers.h"

namespace t2n::trace {

/// Runs and records one operation that the program itself does not have.
at::Tensor TensorNumbers::recorded(const char* name, const char* overload,
                                   const torch::jit::Stack& inputs) {
  const auto op = torch::jit::findOperatorFor(c10::OperatorName(name, overload));
  T2N_ASSERT(op, "no operator ", name, ".", overload);
  const Run run = make_run(op->getOperation());
  torch::jit::Stack stack = inputs;
  run(stack);
  const at::Tensor result = stack.at(0).toTensor();
  if (!recorder_->tracks().knows(result))
    recorder_->record(recorder_->prepare(*op, run, inputs, marks_, position_.place()), {result});
  return result;
}

/// The number as a size that follows from values; null where it cannot be one.
Mark TensorNumbers::born_number(const std::string& name, const at::Tensor& tensor) {
  constexpr std::array<std::string_view, 6> kWhole = {
      "aten::item",           "aten::Int",   "aten::IntImplicit",
      "aten::ScalarImplicit", "prims::item", "aten::_local_scalar_dense"};
  constexpr int64_t kMost = 1 << 20;
  const bool is_whole = at::isIntegralType(tensor.scalar_type(), false);
  if (!is_one_of(name, kWhole) || !is_whole || tensor.numel() != 1 ||
      !is_data(recorder_->mark(tensor)))
    return nullptr;
  if (options_.met_born_sizes != nullptr) *options_.met_born_sizes = true;
  const int64_t number = tensor.item().toLong();
  if (!options_.born_sizes || number < 0 || number > kMost) return nullptr;
  const at::Tensor whole = recorded(
      "aten::to", "dtype", {tensor, static_cast<int64_t>(at::kLong), false, false, c10::IValue()});
  const at::Tensor flat = recorded("aten::reshape", "", {whole, std::vector<int64_t>{1}});
  const at::Tensor entries = recorded("aten::repeat_interleave", "Tensor", {flat, c10::IValue()});
  const ir::ValueId value = recorder_->value(entries, position_.place());
  return size_mark(ir::size_symbol(graph_, value, 0));
}

}  // namespace t2n::trace
