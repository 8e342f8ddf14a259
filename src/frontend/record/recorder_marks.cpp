// SPDX-License-Identifier: Apache-2.0
// What tensors depend on: marks of their values, their sizes and the number of their axes.
#include <algorithm>

#include "src/diag/error.h"
#include "src/frontend/record/recorder.h"

namespace t2n::trace {

/// A stale view, whose root was written since it was read, has the root's mark.
Mark Recorder::entry_mark(int index) const {
  const TensorInfo& entry = aliases_[index];
  const Mark own = value_marks_[entry.value];
  if (!aliases_.is_stale(entry)) return own;
  if (const int writer = aliases_.root(entry).writer; aliases_.is_base_of(index, writer))
    return either(own, entry_mark(writer));
  return entry.parent < 0 ? own : either(own, entry_mark(entry.parent));
}

Mark Recorder::mark(const at::Tensor& tensor) const {
  const int entry = aliases_.find(tensor);
  return entry < 0 ? nullptr : entry_mark(entry);
}

std::vector<Mark> Recorder::numbers(const at::Tensor& tensor) const {
  const int index = aliases_.find(tensor);
  if (index < 0) return {};
  const TensorInfo& entry = aliases_[index];
  if (aliases_.is_stale(entry)) return {};
  const auto found = numbers_.find(entry.value);
  return found == numbers_.end() ? std::vector<Mark>{} : found->second;
}

void Recorder::set_numbers(const at::Tensor& tensor, std::vector<Mark> marks) {
  const int entry = aliases_.find(tensor);
  T2N_ASSERT(entry >= 0, "numbers of an unknown tensor");
  numbers_[aliases_[entry].value] = std::move(marks);
}

void Recorder::mark_dynamic_shapes(const std::vector<at::Tensor>& outputs,
                                   const torch::jit::Stack& inputs, bool by_rank) {
  bool inherits = false, inherits_rank = false;
  for (const c10::IValue& input : inputs)
    for (const at::Tensor& tensor : flatten_tensors(input)) {
      inherits = inherits || aliases_.is_dynamic_shape(tensor);
      inherits_rank = inherits_rank || aliases_.is_dynamic_rank(tensor);
    }
  const bool is_dynamic_rank = inherits_rank || (by_rank && inherits);
  for (const at::Tensor& output : outputs) {
    const int entry = aliases_.find(output);
    const bool is_operand =
        std::any_of(inputs.begin(), inputs.end(), [&](const c10::IValue& input) {
          return input.isTensor() && input.toTensor().is_same(output);
        });
    if (entry < 0 || is_operand || !(inherits || mark(output))) continue;
    TensorInfo& info = aliases_[entry];
    // Even constant elements, such as ones, depend on data through their number.
    Mark& own = value_marks_[info.value];
    if (inherits && !own) own = data_mark("the size of a tensor that depends on values");
    info.dynamic_shape = info.dynamic_shape || output.dim() > 0 || is_dynamic_rank;
    info.dynamic_rank = info.dynamic_rank || is_dynamic_rank;
  }
}

/// The mark of a value's sizes.
Mark Recorder::shape_mark(ir::ValueId id) {
  if (!keep_sizes_ || !value_marks_[id]) return nullptr;
  ir::Dim sum;
  for (const ir::Dim& size : size_symbols(graph_, id)) sum = sum + size;
  return opaque_mark(sum);
}

}  // namespace t2n::trace
