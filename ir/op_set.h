// SPDX-License-Identifier: Apache-2.0
// A set of operators, as data.
#pragma once

#include <set>
#include <string_view>

#include "ir/op_registry.h"

namespace t2n::ir {

struct OpSet {
  std::set<OpId> ops;
  std::string_view prefix = {};  ///< of further names; none if empty
  bool is_complement = false;    ///< the set contains all others instead

  bool contains(OpId op) const {
    const bool is_listed = ops.contains(op) || (!prefix.empty() && op_name(op).starts_with(prefix));
    return is_listed != is_complement;
  }
};
inline OpSet all_operators_but(std::set<OpId> ops) { return {std::move(ops), {}, true}; }

}  // namespace t2n::ir
