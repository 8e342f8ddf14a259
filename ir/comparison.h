// SPDX-License-Identifier: Apache-2.0
// Comparisons of sizes: conditions of branches, constraints of operators, assertions of an
// artefact.
#pragma once

#include <string>
#include <string_view>

#include "ir/shape.h"

namespace t2n::ir {

enum class Relation { lt, le, gt, ge, eq, ne };

/// "<", "<=", ">", ">=", "==", "!="
std::string_view str(Relation relation);
/// The relation that holds if and only if this one does not.
Relation negated(Relation relation);
/// The relation with its operands swapped.
Relation mirrored(Relation relation);
bool holds(int64_t left, Relation relation, int64_t right);

struct Comparison {
  Dim left;
  Relation relation = Relation::eq;
  Dim right;
  friend bool operator==(const Comparison&, const Comparison&) = default;
};

/// "S >= 1"
std::string str(const Comparison& comparison);
Comparison as_written(const Comparison& comparison);
Comparison negated(Comparison comparison);
Comparison mirrored(const Comparison& comparison);
/// Added terms on one side, subtracted ones on the other, without a common factor, and with "<="
/// instead of "<": "B <= 2*((T) // (2)) - 1" for "2*B - 4*((T) // (2)) < -1".
Comparison balanced(const Comparison& comparison);
/// Whether it contains a product of symbols, or a quotient together with its own symbol (as
/// remainders do), or two quotients of more than a symbol and a number. tract 0.23 may never finish
/// with such an assertion, or crash (docs/engine_bugs.md).
bool is_involved(const Comparison& comparison);

}  // namespace t2n::ir
