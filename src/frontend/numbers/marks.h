// SPDX-License-Identifier: Apache-2.0
// Marks of values that are not numbers: strings, and the lengths of lists and dictionaries.
#pragma once

#include <ATen/core/ivalue.h>

#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "src/frontend/numbers/mark.h"

namespace t2n::trace {

/// A part of a list. Its elements are identified by their distance from either end of the part.
struct ListSegment {
  ir::Dim length;
  int64_t count = 0;  ///< the length in this run of the model
  friend bool operator==(const ListSegment&, const ListSegment&) = default;
};
/// The segments of a list of dynamic length; empty if they are not known.
using ListLayout = std::vector<ListSegment>;
ir::Dim length_of(const ListLayout& list_layout);

class Marks {
 public:
  /// For a number or string: what it depends on. For a list or dictionary: what its length depends
  /// on; data means that any element may change as well. Null for a constant.
  Mark of(const c10::IValue& value) const;
  /// Sets the mark of a string, list or dictionary, and clears its layout.
  void set(const c10::IValue& value, Mark mark);
  /// A list without a mark is one segment of constant length. Empty for a list that was changed by
  /// an operation that does not maintain layouts.
  ListLayout list_layout(const c10::IValue& list) const;
  /// Sets the layout of a list that has a mark; without a mark nothing is stored.
  void set_list_layout(const c10::IValue& list, ListLayout list_layout);
  /// The joined mark of everything in a value, down to the last element and attribute.
  Mark reach(const c10::IValue& value) const;
  Mark reach_all(c10::ArrayRef<c10::IValue> values) const;

  /// The value with plain numbers in place of marked ones, copied if there are any. Objects are
  /// kept, as no operation looks into them by value.
  c10::IValue without(const c10::IValue& value) const;
  /// Replaces marked numbers by plain ones, in the containers themselves.
  void strip(const c10::IValue& container) const;
  /// The value with `mark` joined to everything in it; containers and objects are changed in place.
  /// Errors: `data-dependent-value` if the mark is data and the value contains anything that cannot
  /// carry it: a tensor, or a container or object that may be aliased. `what`: what was read, for
  /// the message.
  c10::IValue tainted(const c10::IValue& value, const Mark& mark, const std::string& what);
  /// The same for a value that an index or length selected. If the mark is data, it must not be a
  /// container or object: a write to it could be a write to any of the candidates.
  c10::IValue picked(const c10::IValue& value, const Mark& mark, const std::string& what);
  /// Joins the mark to the numbers and strings in a container only, not to its length.
  void taint_numbers(const c10::IValue& container, const Mark& mark);
  /// The value after the end of its iteration: its numbers still depend on the iteration, but no
  /// longer by a known expression, since another iteration is running when they are read.
  c10::IValue after_iteration(const c10::IValue& value) const;

 private:
  c10::IValue tainted_leaf(const c10::IValue& leaf, const Mark& mark);
  struct Entry {
    c10::IValue keep;  ///< keeps the address from being used again
    Mark mark;
    ListLayout list_layout;
  };
  std::unordered_map<const void*, Entry> entries_;
};

/// A tuple of the same type with these elements.
c10::IValue tuple_like(const c10::IValue& value, std::vector<c10::IValue> elements);

/// Whether a value contains a tensor anywhere.
bool holds_tensors(const c10::IValue& value);
/// The tensors anywhere in a value. Each container and object is visited once.
std::vector<at::Tensor> tensors_in(const c10::IValue& value);

/// True for lists and dictionaries, which have identity.
bool is_container(const c10::IValue& value);
/// The number of elements or entries of a container.
int64_t count_of(const c10::IValue& container);

}  // namespace t2n::trace
