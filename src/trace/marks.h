// Marks of what is no number: strings, and how many elements a list or dictionary has.
#pragma once

#include <ATen/core/ivalue.h>

#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "src/trace/mark.h"

namespace t2n::trace {

/// Part of a list: elements that are told apart by their distance from either end of it.
struct Stretch {
  ir::Dim length;
  int64_t count = 0;  ///< the length in this run of the model
  friend bool operator==(const Stretch&, const Stretch&) = default;
};
/// What a list of open length consists of; nothing if that is not known.
using Outline = std::vector<Stretch>;
ir::Dim length_of(const Outline& outline);

class Marks {
 public:
  /// Of a number or string: what it follows from. Of a list or dictionary: what its length follows
  /// from; data means that any element may be another one. Null if it is always the same.
  Mark of(const c10::IValue& value) const;
  /// For a string, list or dictionary; forgets its outline.
  void set(const c10::IValue& value, Mark mark);
  /// A list without a mark is one stretch, of constant length. Nothing of a list that was changed
  /// by what does not follow its outline.
  Outline outline(const c10::IValue& list) const;
  /// For a list that has a mark; else there is nothing to know.
  void set_outline(const c10::IValue& list, Outline outline);
  /// What anything in a value follows from, down to the last element and attribute.
  Mark reach(const c10::IValue& value) const;
  Mark reach_all(c10::ArrayRef<c10::IValue> values) const;

  /// The value with plain numbers for marked ones: a copy if there are any. Objects stay as they
  /// are, since nothing looks into them by their value.
  c10::IValue without(const c10::IValue& value) const;
  /// Puts plain numbers in the place of marked ones, in the containers themselves.
  void strip(const c10::IValue& container) const;
  /// The value with `mark` joined to all that is in it; containers and objects are changed
  /// themselves. Errors: `data-dependent-value` if the mark is data and it holds anything that
  /// cannot be marked: a tensor, or a container or object, which may be known under another name as
  /// well. `what` says what was read, for the message.
  c10::IValue tainted(const c10::IValue& value, const Mark& mark, const std::string& what);
  /// The same of a value that was chosen among others by a place or a length: if the mark is data,
  /// it must not be a container or object itself, since a write to it would be one to any of them.
  c10::IValue picked(const c10::IValue& value, const Mark& mark, const std::string& what);
  /// The same of the numbers and strings in it alone, leaving how long the containers are.
  void taint_numbers(const c10::IValue& container, const Mark& mark);
  /// The value whose numbers no longer say how they follow from the iteration of a loop, only that
  /// they do: it will be another iteration when they are read.
  c10::IValue after_iteration(const c10::IValue& value) const;

 private:
  c10::IValue tainted_leaf(const c10::IValue& leaf, const Mark& mark);
  struct Entry {
    c10::IValue keep;  ///< so that no other value gets the address
    Mark mark;
    Outline outline;
  };
  std::unordered_map<const void*, Entry> entries_;
};

/// A tuple of the same type, with other elements.
c10::IValue tuple_like(const c10::IValue& value, std::vector<c10::IValue> elements);

/// Whether there is a tensor anywhere in a value.
bool holds_tensors(const c10::IValue& value);
/// The tensors anywhere in a value, each container and object once.
std::vector<at::Tensor> tensors_in(const c10::IValue& value);

/// True for lists and dictionaries, which are told apart by identity.
bool is_container(const c10::IValue& value);

}  // namespace t2n::trace
