// Floats that are quotients of sizes, and what is exact about them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/trace/number_rules.h"

namespace t2n::trace {

/// The number as a quotient; nothing if it has none. `bits`: the mantissa that constants have.
std::optional<Ratio> ratio_of(const Operand& operand, int bits);

/// The same if floats represent it for all sizes.
std::optional<Ratio> exact_ratio(const Operand& operand);

/// The result of an operation that computes in floats with a mantissa of `bits`.
std::optional<Ratio> quotient(const std::string& name, const std::vector<Operand>& operands,
                              int bits);

/// The whole number that floor, ceil, round or a cast makes of a quotient; nothing if that is
/// another one than of the float.
std::optional<Mark> rounded(const std::string& name, const Operand& operand);

/// The conditions on sizes under which this is so.
std::vector<ir::Comparison> rounding_guards(const std::string& name, const Operand& operand);

}  // namespace t2n::trace
