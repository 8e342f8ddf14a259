// An index that combines a mask with other masks or indices: as torch does, each mask is replaced
// by its nonzero indices.
#include <algorithm>
#include <array>

#include "src/diag/error.h"
#include "src/diag/one_of.h"
#include "src/frontend/run/tensor_operations.h"

namespace t2n::trace {
namespace {

using torch::jit::Stack;

constexpr std::array<std::string_view, 2> kReads = {"aten::index", "aten::_unsafe_index"};
constexpr std::array<std::string_view, 5> kWrites = {
    "aten::index_put", "aten::index_put_", "aten::_index_put_impl", "aten::_index_put_impl_",
    "aten::_unsafe_index_put"};

Operation nonzero_indices() {
  const auto op = torch::jit::findOperatorFor(c10::OperatorName("aten::nonzero_numpy", ""));
  T2N_ASSERT(op != nullptr, "torch has no aten::nonzero_numpy");
  return {op.get(), make_run(op->getOperation()), false, true, false};
}

}  // namespace

bool TensorOperations::needs_indices(const std::string& name, const c10::IValue& indices) const {
  const bool reads = is_one_of(name, kReads);
  if (!reads && !is_one_of(name, kWrites)) return false;
  if (!indices.isList() || marks_.of(indices)) return false;
  const auto list = indices.toListRef();
  const auto is_index = [](const c10::IValue& each) {
    return each.isTensor() && each.toTensor().defined();
  };
  const auto depends_on_input = [&](const c10::IValue& each) {
    return is_mask(each) && recorder_->mark(each.toTensor());
  };
  const auto is_scalar_mask = [](const c10::IValue& each) {
    return is_mask(each) && each.toTensor().dim() == 0;
  };
  if (std::none_of(list.begin(), list.end(), depends_on_input) ||
      std::any_of(list.begin(), list.end(), is_scalar_mask))
    return false;
  // A number next to a mask is broadcast to the number of elements that the mask selects.
  const auto has_axes = [&](const c10::IValue& each) {
    return is_index(each) && each.toTensor().dim() > 0;
  };
  return reads ? std::count_if(list.begin(), list.end(), has_axes) > 1
               : std::count_if(list.begin(), list.end(), is_index) > 1;
}

void TensorOperations::broadcast_masks(torch::jit::Node* node, const std::string& name,
                                       Stack& inputs) {
  if (inputs.size() < 2 || !needs_indices(name, inputs[1])) return;
  const Operation nonzero = nonzero_indices();
  const c10::List<c10::IValue> indices = inputs[1].toList();
  c10::List<c10::IValue> unmasked(indices.elementType());
  for (const c10::IValue& index : indices.vec())
    if (!is_mask(index))
      unmasked.push_back(index);
    else
      for (const at::Tensor& each : run(node, nonzero, {index}).at(0).toTensorVector())
        unmasked.push_back(each);
  inputs[1] = unmasked;
}

}  // namespace t2n::trace
