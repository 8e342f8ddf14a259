// What the recorder knows of a tensor of the program, its memory and its origin.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ir/shape.h"
#include "src/trace/call.h"

namespace t2n::trace {

/// The operation that gave a view, and the base's position among the operands.
struct View {
  OpCall call;
  size_t base_input = 0;                ///< position of the base among the call's inputs
  std::vector<size_t> base_again = {};  ///< further inputs that are the base
  int base_in_list = -1;                ///< position in that list, if the input is a list
  std::vector<int> list = {};           ///< the tracks of that list; -1 where there is none
  size_t output = 0;
};

using TensorHandle = c10::weak_intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl>;
/// A tensor of the program and its current value in the graph.
struct TensorInfo {
  TensorHandle tensor;  ///< keeps the address from being used again, not the memory
  ir::ValueId value = ir::kNoValue;
  int root = -1;
  int parent = -1;  ///< the track that this one is a view of
  std::shared_ptr<const View> view;
  int64_t seen = 0;  ///< the root's version that `value` belongs to
  bool open_shape = false;
  bool open_rank = false;
};

/// Takes the view again, of another base. Errors: `unsupported-inplace`.
at::Tensor view_of(const View& view, const at::Tensor& base);

/// Memory that tracks share.
struct Root {
  c10::weak_intrusive_ptr<c10::StorageImpl> storage;
  int64_t version = 0;
  int entries_without_parent = 0;
  bool is_given = false;   ///< it belongs to a part of the model
  bool is_lost = false;    ///< changed in an unrecorded way
  bool is_choice = false;  ///< for other values it may be other memory
  /// The view that was written last; the tracks above it do not have the write yet. -1: none.
  int writer = -1;
  ir::Location written_at = {};
};

/// The reader of a tensor: an operator, and the name for a constant that has no other.
struct Use {
  std::string op;
  std::string name;
};

}  // namespace t2n::trace
