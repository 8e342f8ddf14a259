// Packed sequences: every sequence has a first step, so the first batch size is the batch's size.
#include "src/frontend/run/tensor_numbers.h"

namespace t2n::trace {
namespace {

std::optional<Mark> find(const std::vector<std::pair<at::Tensor, Mark>>& known,
                         const at::Tensor& tensor) {
  for (const auto& [each, mark] : known)
    if (each.is_same(tensor)) return mark;
  return {};
}

bool is_first(const c10::IValue& index) { return unmarked(index).toInt() == 0; }

}  // namespace

void TensorNumbers::note_packed(const std::string& name, const torch::jit::Stack& inputs,
                                const std::vector<at::Tensor>& outputs) {
  if (name == "aten::_pack_padded_sequence") {
    const int64_t batch = inputs.at(2).toBool() ? 0 : 1;
    batch_sizes_.emplace_back(outputs.at(1), axis_mark(inputs[0].toTensor(), batch));
  } else if (name == "aten::select" && !batch_sizes_.empty() && inputs.size() == 3 &&
             inputs[1].isInt() && is_first(inputs[1]) && is_first(inputs[2])) {
    if (const auto batch = find(batch_sizes_, inputs[0].toTensor()))
      full_batches_.emplace_back(outputs.at(0), *batch);
  }
}

std::optional<Mark> TensorNumbers::full_batch(const at::Tensor& tensor) const {
  return find(full_batches_, tensor);
}

}  // namespace t2n::trace
