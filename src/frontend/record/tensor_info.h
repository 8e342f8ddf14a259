// SPDX-License-Identifier: Apache-2.0
// The recorder's data on a tensor of the program, its memory and its origin.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ir/shape.h"
#include "src/frontend/load/call.h"

namespace t2n::trace {

/// The operation that returned a view, and the base's position among the operands.
struct View {
  OpCall call;
  size_t base_input = 0;                ///< index of the base among the call's inputs
  std::vector<size_t> base_again = {};  ///< further inputs that are the base
  int base_in_list = -1;                ///< index in that list, if the input is a list
  std::vector<int> list = {};           ///< the entries of that list's elements; -1 for none
  size_t output = 0;
};

using TensorHandle = c10::weak_intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl>;
/// A tensor of the program and its current value in the graph.
struct TensorInfo {
  TensorHandle tensor;  ///< keeps the address from being used again, not the memory
  ir::ValueId value = ir::kNoValue;
  int root = -1;
  int parent = -1;  ///< the entry that this one is a view of
  std::shared_ptr<const View> view;
  int64_t seen = 0;  ///< the root's version that `value` belongs to
  bool dynamic_shape = false;
  bool dynamic_rank = false;
  /// A value from before the last write, if there was any: all later ones have its sizes.
  ir::ValueId unwritten = ir::kNoValue;
};

/// Recomputes the view with another base. Errors: `unsupported-inplace`.
at::Tensor view_of(const View& view, const at::Tensor& base);

/// Memory that entries share.
struct Root {
  c10::weak_intrusive_ptr<c10::StorageImpl> storage;
  int64_t version = 0;
  int entries_without_parent = 0;
  bool is_from_model = false;  ///< it belongs to a part of the model
  bool is_invalid = false;     ///< changed in an unrecorded way
  bool is_choice = false;      ///< for other inputs it may be other memory
  /// The view that was written last; its bases do not have the write yet. -1: none.
  int writer = -1;
  ir::Location written_at = {};
};

/// The reader of a tensor: an operator, and the name for a constant that has no other.
struct TensorReader {
  std::string op;
  std::string name;
};

}  // namespace t2n::trace
