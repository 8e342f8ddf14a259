// SPDX-License-Identifier: Apache-2.0
// The symbols and operations in a size.
#pragma once

#include "ir/shape.h"

namespace t2n::ir {

/// Calls `visit(atom)` for the factors of all terms, without what their operands contain.
template <typename Visit>
void for_each_atom(const Dim& dim, Visit&& visit) {
  for (const Term& term : dim.terms())
    for (const Atom& atom : term.atoms) visit(atom);
}

/// Whether the size contains one of these operations, also in operands: Min, FloorDiv…
template <typename... Kinds>
bool has_operation(const Dim& dim) {
  bool out = false;
  for_each_atom(dim, [&](const Atom& atom) {
    const Operands* const operands = operands_of(atom);
    out = out || (std::holds_alternative<Kinds>(atom) || ...) ||
          (operands != nullptr &&
           (has_operation<Kinds...>(operands->a) || has_operation<Kinds...>(operands->b)));
  });
  return out;
}
inline bool has_choice(const Dim& dim) { return has_operation<Min, Max>(dim); }

}  // namespace t2n::ir
