// The tensors of the program, by identity, and the memory that they share.
#pragma once

#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "src/trace/tensor_info.h"

namespace t2n::trace {

/// A table of tracks and roots. Of the graph it knows only ids of values.
class AliasTable {
 public:
  /// The index of a tensor's track, or -1.
  int find(const at::Tensor& tensor) const;
  bool knows(const at::Tensor& tensor) const { return find(tensor) >= 0; }
  /// `parent`: the track that it is a view of, or -1. Errors: `unsupported-inplace`.
  int add(const at::Tensor& tensor, ir::ValueId value, int parent,
          std::shared_ptr<const View> view);
  TensorInfo& operator[](int entry) { return aliases_[static_cast<size_t>(entry)]; }
  const TensorInfo& operator[](int entry) const { return aliases_[static_cast<size_t>(entry)]; }
  Root& root(const TensorInfo& of) { return roots_[static_cast<size_t>(of.root)]; }
  const Root& root(const TensorInfo& of) const { return roots_[static_cast<size_t>(of.root)]; }
  bool is_stale(const TensorInfo& entry) const { return entry.seen != root(entry).version; }
  /// Whether `track` is one that `view` shows a part of, directly or by other views.
  bool is_above(int entry, int view) const;
  /// Whether this view, or one above it, shows an element of its base more than once.
  bool repeats(int entry) const;
  /// The number of known roots, which tells older from younger ones.
  size_t roots() const { return roots_.size(); }
  /// Whether the program made the tensor's memory after the first `roots` roots.
  bool is_made_since(const at::Tensor& tensor, size_t roots) const;

  /// Whether its sizes, or the number of its axes, may follow from values of tensors.
  bool is_open_shape(const at::Tensor& tensor) const;
  bool is_open_rank(const at::Tensor& tensor) const;
  bool has_open_shape(const torch::jit::Stack& inputs) const;
  /// The contiguous tensor that owns a view's memory, if the program still holds it.
  std::optional<at::Tensor> owner(const at::Tensor& tensor) const;
  /// The operand that torch returned where an operation made no copy, in place of its alias here.
  at::Tensor returned(const at::Tensor& tensor) const;
  /// Changes with every write to a tensor's memory.
  int64_t version(const at::Tensor& tensor) const;
  /// Whether a branch on data chose it, or chose between it and another.
  bool is_choice(const at::Tensor& tensor) const;
  /// The results of a select, and the tensors it chose between. Torch returns one of those; the
  /// file makes a new tensor. So nothing may be written to them, unless they were made later than
  /// `known`, have the same layout, and share memory with nothing in `given`: all tensors that the
  /// branches gave.
  struct Choice {
    at::Tensor chosen, yes, no;
  };
  void forbid_writes(const std::vector<Choice>& choices, const std::vector<at::Tensor>& given,
                     size_t known);

 private:
  int root_of(const at::Tensor& tensor);

  std::vector<TensorInfo> aliases_;
  std::vector<Root> roots_;
  std::unordered_map<const c10::TensorImpl*, int> by_tensor_;
  std::unordered_map<const c10::StorageImpl*, int> by_storage_;
};

}  // namespace t2n::trace
