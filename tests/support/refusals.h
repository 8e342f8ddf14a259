// SPDX-License-Identifier: Apache-2.0
// What a refusal is about: the operator and the argument that its text names.
#pragma once

#include <string>
#include <vector>

#include "src/diag/diagnostic.h"
#include "tests/support/coverage.h"

namespace t2n::test {

/// One problem of a diagnostic, which may report several.
struct Refused {
  std::string op;        ///< "" if the model as a whole is refused
  std::string argument;  ///< "" if the operation as a whole is
  std::string why;
};
std::vector<Refused> refusals(const Diagnostic& diagnostic);

/// What of these uses is refused: the operators that are named, under this or another name of the
/// same translation, with only the argument that is named.
std::vector<OperatorUse> refused_uses(const std::vector<OperatorUse>& uses,
                                      const std::vector<Refused>& refused);

/// A line for each operator, argument and reason, with the number of cases, by name.
std::string refusal_list(const std::vector<Refused>& refused);

}  // namespace t2n::test
