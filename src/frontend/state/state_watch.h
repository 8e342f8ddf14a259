// SPDX-License-Identifier: Apache-2.0
// Tracks which of the model's objects a run reads and writes.
#pragma once

#include <ATen/core/function_schema.h>
#include <ATen/core/stack.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "src/frontend/load/call.h"
#include "src/frontend/numbers/position.h"
#include "src/frontend/state/leaves.h"

namespace t2n::trace {

/// Must be notified of every access before it happens. Its destructor restores the model's initial
/// state.
class StateWatch {
 public:
  explicit StateWatch(const ObjectPtr& model);

  void reads_attribute(const c10::ivalue::Object& object, size_t slot);
  /// `from_data`: the value was read from a tensor that depends on an input.
  void sets_attribute(const ObjectPtr& object, size_t slot, Location location, bool from_data);
  /// An operation on lists and dictionaries, whether it writes or not.
  void touches_containers(const c10::FunctionSchema& schema, const torch::jit::Stack& inputs,
                          Position& position);
  void unpacks(const c10::IValue& container);
  /// An operation that writes to tensors.
  void writes_tensors(const c10::FunctionSchema& schema, const torch::jit::Stack& inputs,
                      Position& position);

  /// A tensor constant of the program: writes to it persist until the next call.
  void add_constant(const at::Tensor& tensor);
  /// Called after a complete run. Ignores writes that left every byte unchanged, except those to
  /// memory of `dependent`, which may change it for other inputs.
  void forget_unchanged_writes(const std::vector<at::Tensor>& dependent);
  /// Where constants of the program were changed.
  std::vector<Location> changed_constants() const;

  bool wrote() const { return !set_.empty() || !mutated_.empty() || !written_.empty(); }
  /// True if the tensor's memory was written, and belonged to the model from the beginning.
  bool wrote_in_place(const at::Tensor& tensor) const;
  /// Where the value was last changed: in its own memory, else by its innermost holder.
  Location location_of(const ModelValue& leaf) const;
  Location location_of(const std::vector<Holder>& holders) const;
  /// Whether the run could have seen the initial value: an attribute was read before it was set, or
  /// a container before it was emptied.
  bool could_see(const std::vector<Holder>& holders) const;
  /// Whether one of them was set to a number read from a tensor.
  bool is_from_data(const std::vector<Holder>& holders) const;
  /// Whether the program read the attribute, or the contents of the container.
  bool was_read(const std::vector<Holder>& holders) const;
  void undo() { undo_.run(); }

 private:
  void add(const c10::IValue& value);
  void mutates(const std::string& op, const torch::jit::Stack& inputs, Position& position);
  bool reads_what_was_written(const std::string& op, const torch::jit::Stack& inputs) const;
  void write(const at::Tensor& tensor, Position& position);

  std::unordered_set<const void*> objects_;
  std::unordered_set<const void*> containers_;
  std::unordered_set<const void*> storages_;
  std::unordered_set<const void*> tensors_;  ///< not written yet
  std::map<Holder, Location> set_;
  std::set<Holder> read_;
  std::set<Holder> read_first_;
  std::map<const void*, Location> mutated_;
  std::set<Holder> from_data_;
  std::set<const void*> seen_;  ///< containers
  std::set<const void*> emptied_;
  std::set<const void*> seen_first_;                   ///< containers
  std::map<const void*, std::set<std::string>> keys_;  ///< set in this run
  struct Written {
    Location location;
    c10::Storage memory;
    std::shared_ptr<const std::vector<char>> before;
  };
  std::map<const c10::StorageImpl*, Written> written_;
  std::unordered_set<const void*> constants_;
  Undo undo_;
};

}  // namespace t2n::trace
