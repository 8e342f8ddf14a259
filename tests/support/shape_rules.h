// SPDX-License-Identifier: Apache-2.0
// Every traced graph of the operator tests is a test of the shape rules, too.
#pragma once

#include <string>

#include "ir/graph.h"

namespace t2n::test {

/// Makes each input dim a symbol of its own, lets the rules say all other shapes, and compares with
/// what was traced: a line for each rule that breaks or differs, "" if none does.
std::string shape_rule_errors(const ir::Graph& traced);

}  // namespace t2n::test
