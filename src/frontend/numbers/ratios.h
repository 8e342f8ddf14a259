// SPDX-License-Identifier: Apache-2.0
// Floats that are quotients of sizes, and when they are exact.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/frontend/numbers/number_rules.h"

namespace t2n::trace {

/// The number as a quotient; nothing if it is none. `bits`: the mantissa of constants.
std::optional<Ratio> ratio_of(const Operand& operand, int bits);

/// The same, only if floats represent the quotient for all sizes.
std::optional<Ratio> exact_ratio(const Operand& operand);

/// The result of an operation that computes in floats with a mantissa of `bits`.
std::optional<Ratio> quotient(const std::string& name, const std::vector<Operand>& operands,
                              int bits);

/// The integer that floor, ceil, round or a cast returns for a quotient; nothing if the float may
/// give another one.
std::optional<Mark> rounded(const std::string& name, const Operand& operand);

/// The conditions on sizes under which rounded() is exact.
std::vector<ir::Comparison> rounding_guards(const std::string& name, const Operand& operand);

}  // namespace t2n::trace
