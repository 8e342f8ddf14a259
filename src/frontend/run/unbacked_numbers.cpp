// Numbers that are read from tensors. An integer may become a data-dependent size: the graph then
// creates that many entries and uses their number.
#include "src/diag/error.h"
#include "src/diag/one_of.h"
#include "src/frontend/record/computed_numbers.h"
#include "src/frontend/run/tensor_numbers.h"

namespace t2n::trace {

bool reads_value(const std::string& name) {
  constexpr std::array<std::string_view, 12> kNames = {
      "aten::item",           "aten::Int",         "aten::Float",
      "aten::Bool",           "aten::IntImplicit", "aten::FloatImplicit",
      "aten::ScalarImplicit", "aten::is_nonzero",  "aten::_local_scalar_dense",
      "aten::Complex",        "prims::item",       "aten::ComplexImplicit"};
  return is_one_of(name, kNames);
}

/// The number as a data-dependent size; null if it cannot be a size.
Mark TensorNumbers::unbacked_number(const std::string& name, const at::Tensor& tensor) {
  constexpr std::array<std::string_view, 6> kIntegers = {
      "aten::item",           "aten::Int",   "aten::IntImplicit",
      "aten::ScalarImplicit", "prims::item", "aten::_local_scalar_dense"};
  constexpr int64_t kMost = 1 << 20;
  // int() of floats rounds towards zero.
  const bool is_integer = at::isIntegralType(tensor.scalar_type(), false) ||
                          (name == "aten::Int" && at::isFloatingType(tensor.scalar_type()));
  if (!is_one_of(name, kIntegers) || !is_integer || tensor.numel() != 1 ||
      !is_data(recorder_->mark(tensor)))
    return nullptr;
  if (options_.met_unbacked_sizes != nullptr) *options_.met_unbacked_sizes = true;
  if (options_.met_read_numbers != nullptr) *options_.met_read_numbers = true;
  const double number = tensor.item().toDouble();
  if (!options_.read_sizes || !(number > -1 && number <= kMost)) return nullptr;
  ComputedNumbers computed(position_, marks_, *recorder_);
  const at::Tensor integer = computed.recorded(
      "aten::to", "dtype", {tensor, static_cast<int64_t>(at::kLong), false, false, c10::IValue()});
  const at::Tensor flat =
      computed.recorded("aten::reshape", "", {integer, std::vector<int64_t>{1}});
  const at::Tensor entries =
      computed.recorded("aten::repeat_interleave", "Tensor", {flat, c10::IValue()});
  const ir::ValueId value = recorder_->value(entries, position_.location());
  return size_mark(ir::size_symbol(graph_, value, 0));
}

/// The mark of a number that was read from data, with the formula by which the graph computes it.
Mark TensorNumbers::read_mark(const std::string& name, const torch::jit::Stack& inputs,
                              const c10::IValue& number, const Mark& mark) {
  const bool is_qparam = name == "aten::q_scale" || name == "aten::q_zero_point";
  if (is_qparam && recorder_->mark(inputs.at(0).toTensor())) {
    ComputedNumbers computed(position_, marks_, *recorder_);
    const at::Tensor number_tensor = computed.recorded_number(name.c_str(), inputs);
    return data_mark(origin_of(mark),
                     read_formula(number_tensor, recorder_->aliases().version(number_tensor),
                                  type_of_number(number)));
  }
  if (!reads_value(name) || inputs.size() != 1 || !inputs[0].isTensor()) return mark;
  const at::Tensor& tensor = inputs[0].toTensor();
  if (!tensor.defined() || tensor.numel() != 1 || !is_data(recorder_->mark(tensor)) ||
      tensor.is_quantized() || tensor.is_complex() || recorder_->aliases().is_dynamic_shape(tensor))
    return mark;
  return data_mark(origin_of(mark), read_formula(tensor, recorder_->aliases().version(tensor),
                                                 type_of_number(number)));
}

}  // namespace t2n::trace
