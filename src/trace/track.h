// What the recorder knows of a tensor of the program, of its memory, and of how it came to be.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ir/shape.h"
#include "src/trace/call.h"

namespace t2n::trace {

/// The operation that gave a view, and where its base stands among the operands.
struct View {
  OpCall call;
  size_t base_input = 0;                ///< position of the base among the call's inputs
  std::vector<size_t> base_again = {};  ///< further inputs that are the base
  int base_in_list = -1;                ///< its place if that input is a list
  std::vector<int> list = {};           ///< the tracks of that list; -1 where there is none
  size_t output = 0;
};

using TensorHandle = c10::weak_intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl>;
/// A tensor of the program, as the graph has it now.
struct Track {
  TensorHandle tensor;  ///< keeps the address unique, not the memory
  ir::ValueId value = ir::kNoValue;
  int root = -1;
  int parent = -1;  ///< the track that this one is a view of
  std::shared_ptr<const View> view;
  int64_t seen = 0;  ///< version of the root that `value` belongs to
  bool open_shape = false;
  bool open_rank = false;
  int64_t iteration = 0;  ///< in which iteration of a loop it was made
};

/// The view taken again, of another base. Errors: `unsupported-inplace`.
at::Tensor view_of(const View& view, const at::Tensor& base);

/// Memory that tracks share.
struct Root {
  c10::weak_intrusive_ptr<c10::StorageImpl> storage;
  int64_t version = 0;
  int tracks_without_parent = 0;
  bool is_given = false;                    ///< a part of the model has it
  bool is_lost = false;                     ///< changed in a way that is not recorded
  bool is_choice = false;                   ///< it may be other memory for other values
  bool follows_values = false;              ///< what shares it follows from values
  std::vector<ir::Comparison> layout = {};  ///< what shares it follows from these
};

/// What reads a tensor: an operator, and the name for a constant that nothing else names.
struct Use {
  std::string op;
  std::string name;
};

}  // namespace t2n::trace
