// SPDX-License-Identifier: Apache-2.0
// The tensors of the program, by identity, and the memory that they share.
#pragma once

#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "src/frontend/record/tensor_info.h"

namespace t2n::trace {

/// Maps tensors to their entries, and memory to roots. It refers to the graph by value ids only.
class AliasTable {
 public:
  /// The index of a tensor's entry, or -1.
  int find(const at::Tensor& tensor) const;
  bool knows(const at::Tensor& tensor) const { return find(tensor) >= 0; }
  /// `parent`: the entry that it is a view of, or -1. Errors: `unsupported-inplace`.
  int add(const at::Tensor& tensor, ir::ValueId value, int parent,
          std::shared_ptr<const View> view);
  TensorInfo& operator[](int entry) { return aliases_[entry]; }
  const TensorInfo& operator[](int entry) const { return aliases_[entry]; }
  Root& root(const TensorInfo& entry) { return roots_[entry.root]; }
  const Root& root(const TensorInfo& entry) const { return roots_[entry.root]; }
  bool is_stale(const TensorInfo& entry) const { return entry.seen != root(entry).version; }
  /// Whether `view` is a view of `entry`, directly or through other views.
  bool is_base_of(int entry, int view) const;
  /// Whether this view, or one of its bases, shows an element of its base more than once.
  bool repeats_elements(int entry) const;
  /// The number of entries. Later tensors have higher ones.
  int entries() const { return static_cast<int>(aliases_.size()); }
  /// The number of known roots. Later roots have higher indices.
  size_t roots() const { return roots_.size(); }
  /// Whether the program made the tensor's memory after the first `roots` roots.
  bool is_created_since(const at::Tensor& tensor, size_t roots) const;

  /// Whether its sizes, or the number of its axes, may depend on values of tensors.
  bool is_dynamic_shape(const at::Tensor& tensor) const;
  bool is_dynamic_rank(const at::Tensor& tensor) const;
  bool has_dynamic_shape(const torch::jit::Stack& inputs) const;
  /// The contiguous tensor that owns a view's memory, if the program still holds it.
  std::optional<at::Tensor> owner(const at::Tensor& tensor) const;
  /// The operand itself where torch made no copy and this table has an alias of it.
  at::Tensor returned(const at::Tensor& tensor) const;
  /// Changes with every write to a tensor's memory.
  int64_t version(const at::Tensor& tensor) const;
  /// Whether a select on data chose it, or chose between it and another tensor.
  bool is_choice(const at::Tensor& tensor) const;
  /// The result of a select, and its operands. Torch returns one of the operands; the graph makes a
  /// new tensor. So none of the three may be written, unless they were created after the first
  /// `roots_before` roots, have the same layout, and share no memory with `operands`: all tensors
  /// that the branches returned.
  struct Choice {
    at::Tensor chosen, yes, no;
  };
  void forbid_writes(const std::vector<Choice>& choices, const std::vector<at::Tensor>& operands,
                     size_t roots_before);

 private:
  int root_of(const at::Tensor& tensor);

  std::vector<TensorInfo> aliases_;
  std::vector<Root> roots_;
  std::unordered_map<const c10::TensorImpl*, int> by_tensor_;
  std::unordered_map<const c10::StorageImpl*, int> by_storage_;
};

}  // namespace t2n::trace
