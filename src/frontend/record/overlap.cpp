// SPDX-License-Identifier: Apache-2.0
// Writes whose result depends on the order in which torch reads and writes.
#include "src/frontend/record/overlap.h"

#include <algorithm>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ir/op_traits.h"
#include "src/diag/error.h"
#include "src/frontend/load/call.h"

namespace t2n::trace {
namespace {

/// Whether two elements of the tensor may share memory.
bool overlaps(const at::Tensor& tensor) {
  std::vector<std::pair<int64_t, int64_t>> axes;
  for (int64_t axis = 0; axis < tensor.dim(); ++axis)
    if (tensor.size(axis) > 1) axes.emplace_back(tensor.stride(axis), tensor.size(axis));
  std::sort(axes.begin(), axes.end());
  int64_t reach = 0;
  for (const auto& [stride, size] : axes) {
    if (stride <= reach) return true;
    reach += stride * (size - 1);
  }
  return false;
}

/// Calls `visit` with the memory offset of each element, counted in elements.
template <typename Visit>
void for_each_offset(const at::Tensor& tensor, Visit visit) {
  std::vector<int64_t> index(static_cast<size_t>(tensor.dim()), 0);
  int64_t offset = tensor.storage_offset();
  for (int64_t remaining = tensor.numel(); remaining > 0; --remaining) {
    visit(offset);
    for (int64_t axis = tensor.dim() - 1; axis >= 0; --axis) {
      const size_t i = axis;
      offset += tensor.stride(axis);
      if (++index[i] < tensor.size(axis)) break;
      offset -= tensor.stride(axis) * tensor.size(axis);
      index[i] = 0;
    }
  }
}

/// Whether some memory is at different indices of the two tensors.
bool overlap_partly(const at::Tensor& a, const at::Tensor& b) {
  if (!a.has_storage() || !b.has_storage() || !a.storage().is_alias_of(b.storage())) return false;
  if (a.storage_offset() == b.storage_offset() && a.sizes() == b.sizes() &&
      a.strides() == b.strides())
    return false;
  const auto bytes = [](const at::Tensor& tensor) {
    int64_t last = tensor.storage_offset();
    for (int64_t axis = 0; axis < tensor.dim(); ++axis)
      last += tensor.stride(axis) * (tensor.size(axis) - 1);
    const int64_t size = tensor.element_size();
    return std::pair{tensor.storage_offset() * size, (last + 1) * size};
  };
  if (a.numel() == 0 || b.numel() == 0 || bytes(a).second <= bytes(b).first ||
      bytes(b).second <= bytes(a).first)
    return false;
  if (a.element_size() != b.element_size()) return true;
  if (a.numel() > b.numel()) return overlap_partly(b, a);
  std::unordered_set<int64_t> offsets;
  for_each_offset(a, [&](int64_t offset) { offsets.insert(offset); });
  bool any = false;
  for_each_offset(b, [&](int64_t offset) { any = any || offsets.contains(offset); });
  return any;
}

/// True for an operand that the operation reads completely before it writes.
bool is_read_first(const std::string& name, const at::Tensor& operand) {
  return operand.dim() == 0 && has_trait(name, ir::OpTrait::fills);
}

}  // namespace

bool moves_forward(const std::string& name, const at::Tensor& written, const at::Tensor& operand) {
  constexpr int64_t kOneThread = 1 << 15;
  return name == "aten::copy_" && written.strides() == operand.strides() &&
         written.storage_offset() < operand.storage_offset() && written.numel() < kOneThread;
}

void refuse_read_while_written(const std::string& name, const at::Tensor& written,
                               const torch::jit::Stack& inputs) {
  for (const c10::IValue& input : inputs)
    for (const at::Tensor& operand : flatten_tensors(input))
      if (operand.defined() && !is_read_first(name, operand) &&
          !moves_forward(name, written, operand) && overlap_partly(written, operand))
        throw Error("unsupported-inplace",
                    "an operation writes to a tensor that overlaps its operand",
                    "the result depends on the order in which torch reads and writes",
                    "clone() the operand first");
}

void refuse_overlapping(const at::Tensor& written, const std::string& name) {
  if (name == "aten::fill_" || name == "aten::zero_" || !overlaps(written)) return;
  throw Error("unsupported-inplace",
              "an operation writes to a tensor whose elements overlap in memory",
              "the result depends on the order in which torch writes them",
              "clone() it first, or write to the tensor that it is a view of");
}

}  // namespace t2n::trace
