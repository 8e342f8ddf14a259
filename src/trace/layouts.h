// Operations that copy at some sizes, and give a view at others.
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/comparison.h"
#include "src/trace/alias_table.h"

namespace t2n::trace {

/// Whether `reshape()` or `contiguous()` copies decides what a later write changes. That matters
/// where the tensor on one side of it is written, and one on the other side is read afterwards: the
/// file then holds for sizes with the same answer only. Reads tracks; changes nothing but its own
/// table.
class Layouts {
 public:
  explicit Layouts(const AliasTable& aliases) : aliases_(aliases) {}

  /// `result` was made of `base`, and shares memory with it where it does so in this run.
  /// `conditions`: sizes with the same answer. `by_values`: the answer follows from values.
  void add(int base, int result, std::vector<ir::Comparison> conditions, bool by_values);
  /// `result` is `base` itself in this run, and a copy or a view at other sizes.
  void add_identity(int base, int result) { identities_.insert({base, result}); }
  /// Errors: `unsupported-inplace` if the shape of such a tensor is changed in place.
  void note_change_of_shape(int entry) const;
  void note_write(int entry);
  /// The conditions of all that was made of a tensor, or that it was made of: `is` follows from
  /// them.
  std::vector<ir::Comparison> around(int entry) const;
  /// The conditions that the program relies on when it reads a tensor. Errors:
  /// `unsupported-inplace`, if they follow from values.
  std::vector<ir::Comparison> note_read(int entry);

 private:
  struct Link {
    int result = -1;
    std::vector<ir::Comparison> conditions;
    bool by_values = false;
    bool written_inside = false;   ///< the result, or a tensor made of it
    bool written_outside = false;  ///< any other tensor that may share the memory
  };
  int above(int entry) const;
  int top(int entry) const;
  bool is_under(int entry, int result) const;

  const AliasTable& aliases_;
  std::unordered_map<int, int> base_of_copy_;
  std::unordered_set<int> identities_;
  std::unordered_map<int, std::vector<Link>> links_;  ///< by the topmost track
};

}  // namespace t2n::trace
