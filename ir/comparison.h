// Comparisons of sizes: what branches ask, what operators need, and what a file asserts.
#pragma once

#include <string>
#include <string_view>

#include "ir/shape.h"

namespace t2n::ir {

enum class Relation { lt, le, gt, ge, eq, ne };

/// "<", "<=", ">", ">=", "==", "!="
std::string_view str(Relation relation);
/// The relation that holds where this one does not.
Relation negated(Relation relation);
/// The relation of `b` to `a` where this one is that of `a` to `b`.
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
Comparison negated(Comparison comparison);
Comparison mirrored(const Comparison& comparison);
/// What is added on one side, what is subtracted on the other, without a common factor, and with
/// "<=" for "<": "B <= 2*((T) // (2)) - 1" for "2*B - 4*((T) // (2)) < -1".
Comparison balanced(const Comparison& comparison);
/// Whether a product of symbols stands in it, or a quotient beside a symbol of its own, as
/// remainders are, or two quotients of more than a symbol and a number: such an assertion can keep
/// tract 0.23 busy for ever, or crash it (docs/engine_bugs.md).
bool is_involved(const Comparison& comparison);

}  // namespace t2n::ir
