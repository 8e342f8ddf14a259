// SPDX-License-Identifier: Apache-2.0
// The tensors and plain values of a model, by path. Each could be state.
#pragma once

#include <ATen/core/ivalue.h>

#include <compare>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "ir/tensor.h"

namespace t2n::trace {

using ObjectPtr = c10::intrusive_ptr<c10::ivalue::Object>;

/// The owner of a value: a slot of an object, or (slot -1) a list or dictionary.
struct Holder {
  const void* keeper = nullptr;
  int64_t slot = -1;
  auto operator<=>(const Holder&) const = default;
};

/// A tensor or a plain value. A tensor's geometry is that at the time of listing.
struct ModelValue {
  std::string path;  ///< "encoder.h", "cache.k", "pair.0"
  c10::IValue value;
  ir::Ints shape;
  std::vector<Holder> holders;  ///< outermost first
};

/// An attribute of a module or of another object that the model holds.
struct Attribute {
  std::string path;
  std::vector<Holder> holders;  ///< outermost first, then the containers inside it
  std::vector<ModelValue> leaves;
};

/// All attributes whose value is not an object. A shared one counts once, under its first path;
/// ModuleNames gives the names.
std::vector<Attribute> list_attributes(const ObjectPtr& model);

/// The tensor at a path; undefined if there is none.
at::Tensor tensor_at(const std::vector<Attribute>& attributes, const std::string& path);

/// Undoes the changes of a run, the last one first.
class Undo {
 public:
  Undo() = default;
  ~Undo() { run(); }
  Undo(const Undo&) = delete;
  Undo& operator=(const Undo&) = delete;

  void add(std::function<void()> step) { steps_.push_back(std::move(step)); }
  /// Remembers the value of a slot, or the elements of a list or dictionary.
  void keep_slot(const ObjectPtr& object, size_t slot);
  void keep_container(const c10::IValue& container);
  void run();

 private:
  std::vector<std::function<void()>> steps_;
};

/// Replaces leaves by tensors, by path.
void replace_leaves(const ObjectPtr& model, const std::map<std::string, at::Tensor>& tensors,
                    Undo& undo);

}  // namespace t2n::trace
