// SPDX-License-Identifier: Apache-2.0
// Operations that return a copy at some sizes and a view at others.
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/comparison.h"
#include "src/frontend/record/alias_table.h"

namespace t2n::trace {

/// Whether `reshape()` or `contiguous()` copies decides which tensors a later write changes. That
/// matters if its operand is written and its result is read afterwards, or vice versa: the graph is
/// then valid only for sizes with the same answer. Reads aliases; changes only its own table.
class Layouts {
 public:
  explicit Layouts(const AliasTable& aliases) : aliases_(aliases) {}

  /// `result` was computed from `base`. `conditions`: sizes at which it shares memory with `base`
  /// if and only if it does in this run. `by_values`: this depends on values.
  void add(int base, int result, std::vector<ir::Comparison> conditions, bool by_values);
  /// `result` is `base` itself in this run, and a copy or a view at other sizes.
  void add_identity(int base, int result) { identities_.insert({base, result}); }
  /// Errors: `unsupported-inplace` if the shape of such a tensor is changed in place.
  void note_change_of_shape(int entry) const;
  void note_write(int entry);
  /// The conditions of all results of a tensor, and of its operands: the answer of `is` depends on
  /// them.
  std::vector<ir::Comparison> around(int entry) const;
  /// The conditions that the program relies on when it reads a tensor. Errors:
  /// `unsupported-inplace` if they depend on values.
  std::vector<ir::Comparison> note_read(int entry);

 private:
  struct Link {
    int result = -1;
    std::vector<ir::Comparison> conditions;
    bool by_values = false;
    bool written_inside = false;   ///< the result, or a tensor computed from it
    bool written_outside = false;  ///< any other tensor that may share the memory
  };
  int base_of(int entry) const;
  int root_base(int entry) const;
  bool is_under(int entry, int result) const;

  const AliasTable& aliases_;
  std::unordered_map<int, int> base_of_copy_;
  std::unordered_set<int> identities_;
  std::unordered_map<int, std::vector<Link>> links_;  ///< by the outermost base
};

}  // namespace t2n::trace
