// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/record/alias_table.h"

#include <algorithm>
#include <map>
#include <utility>

#include "ir/op_traits.h"
#include "src/diag/error.h"

namespace t2n::trace {

int AliasTable::find(const at::Tensor& tensor) const {
  const auto found = by_tensor_.find(tensor.unsafeGetTensorImpl());
  return found == by_tensor_.end() ? -1 : found->second;
}

int AliasTable::root_of(const at::Tensor& tensor) {
  const auto* storage = tensor.has_storage() ? tensor.storage().unsafeGetStorageImpl() : nullptr;
  const auto known = storage == nullptr ? by_storage_.end() : by_storage_.find(storage);
  if (known != by_storage_.end()) {
    if (roots_[known->second].version > 0)
      throw Error("unsupported-inplace",
                  "a tensor is read after another tensor on the same memory was written",
                  "the two share memory without one being a view of the other",
                  "clone() one of them before the model is saved");
    return known->second;
  }
  const auto out = static_cast<int>(roots_.size());
  roots_.push_back(Root{storage == nullptr ? c10::weak_intrusive_ptr<c10::StorageImpl>(
                                                 c10::intrusive_ptr<c10::StorageImpl>())
                                           : tensor.storage().getWeakStorageImpl(),
                        0, 0});
  if (storage != nullptr) by_storage_[storage] = out;
  return out;
}

int AliasTable::add(const at::Tensor& tensor, ir::ValueId value, int parent,
                    std::shared_ptr<const View> view) {
  TensorInfo entry{TensorHandle(tensor.getIntrusivePtr()), value, -1, parent, std::move(view)};
  const auto index = static_cast<int>(aliases_.size());
  if (parent >= 0) {
    entry.root = (*this)[parent].root;
  } else {
    entry.root = root_of(tensor);
    ++root(entry).entries_without_parent;
  }
  entry.seen = root(entry).version;
  aliases_.push_back(std::move(entry));
  by_tensor_[tensor.unsafeGetTensorImpl()] = index;
  return index;
}

bool AliasTable::is_base_of(int entry, int view) const {
  while (view >= 0 && (view = (*this)[view].parent) >= 0)
    if (view == entry) return true;
  return false;
}

at::Tensor AliasTable::returned(const at::Tensor& tensor) const {
  const int entry = find(tensor);
  if (entry < 0 || (*this)[entry].view == nullptr) return tensor;
  const std::string_view op = ir::op_name((*this)[entry].view->call.node.op);
  if (op != "aten::contiguous") return tensor;
  const auto locked = (*this)[(*this)[entry].parent].tensor.lock();
  return locked ? returned(at::Tensor(locked)) : tensor;
}

bool AliasTable::repeats_elements(int index) const {
  for (int at = index; at >= 0; at = (*this)[at].parent) {
    const TensorInfo& entry = (*this)[at];
    if (entry.view == nullptr) continue;
    const std::string_view op = ir::op_name(entry.view->call.node.op);
    if (has_trait(op.substr(0, op.find('.')), ir::OpTrait::repeats_elements)) return true;
  }
  return false;
}

bool AliasTable::is_dynamic_shape(const at::Tensor& tensor) const {
  const int entry = find(tensor);
  return entry >= 0 && (*this)[entry].dynamic_shape;
}

bool AliasTable::is_dynamic_rank(const at::Tensor& tensor) const {
  const int entry = find(tensor);
  return entry >= 0 && (*this)[entry].dynamic_rank;
}

bool AliasTable::has_dynamic_shape(const torch::jit::Stack& inputs) const {
  return std::any_of(inputs.begin(), inputs.end(), [this](const c10::IValue& input) {
    const std::vector<at::Tensor> tensors = flatten_tensors(input);
    return std::any_of(tensors.begin(), tensors.end(),
                       [this](const at::Tensor& tensor) { return is_dynamic_shape(tensor); });
  });
}

std::optional<at::Tensor> AliasTable::owner(const at::Tensor& tensor) const {
  int entry = find(tensor);
  if (entry < 0) return std::nullopt;
  while ((*this)[entry].parent >= 0) entry = (*this)[entry].parent;
  const auto locked = (*this)[entry].tensor.lock();
  if (!locked) return std::nullopt;
  const at::Tensor out(locked);
  const bool owns_storage = out.is_contiguous() && out.storage_offset() == 0;
  return owns_storage && out.scalar_type() == tensor.scalar_type() ? std::optional(out)
                                                                   : std::nullopt;
}

int64_t AliasTable::version(const at::Tensor& tensor) const {
  const int entry = find(tensor);
  return entry < 0 ? 0 : root((*this)[entry]).version;
}

bool AliasTable::is_created_since(const at::Tensor& tensor, size_t roots) const {
  const int entry = find(tensor);
  if (entry < 0) return false;
  const TensorInfo& info = (*this)[entry];
  return static_cast<size_t>(info.root) >= roots && !root(info).is_from_model;
}

bool AliasTable::is_choice(const at::Tensor& tensor) const {
  const int entry = find(tensor);
  return entry >= 0 && root((*this)[entry]).is_choice;
}

void AliasTable::forbid_writes(const std::vector<Choice>& choices,
                               const std::vector<at::Tensor>& operands, size_t roots_before) {
  std::map<size_t, int> uses;
  for (const at::Tensor& tensor : operands)
    if (const int entry = find(tensor); entry >= 0) ++uses[(*this)[entry].root];
  for (const Choice& choice : choices) {
    std::vector<size_t> roots;
    bool is_own = choice.yes.strides() == choice.no.strides();
    for (const at::Tensor& tensor : {choice.chosen, choice.yes, choice.no}) {
      const int entry = find(tensor);
      T2N_ASSERT(entry >= 0, "a choice of a tensor that is not known");
      roots.push_back(static_cast<size_t>((*this)[entry].root));
      const Root& root = roots_[roots.back()];
      is_own = is_own && roots.back() >= roots_before && !root.is_from_model && !root.is_choice &&
               uses[roots.back()] <= 1;
    }
    for (const size_t root : roots) roots_[root].is_choice = roots_[root].is_choice || !is_own;
  }
}

}  // namespace t2n::trace
