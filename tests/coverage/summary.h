// SPDX-License-Identifier: Apache-2.0
// What the operator tests cover, by operator, engine and argument.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/support/coverage.h"

namespace t2n::test {

struct OperatorSummary {
  std::map<std::string, std::set<Outcome>> targets;    ///< by target name
  std::map<std::string, std::set<Outcome>> arguments;  ///< in any engine
  std::set<std::string> called;  ///< "" for itself, and what it shares its translation with
  bool is_refused = false;       ///< by every target, whatever its arguments
};

/// For every operator in the registry that torch declares.
std::map<std::string, OperatorSummary> summarise(const std::vector<CoverageFact>& facts);

/// "aten::gelu: no case with 'approximate'", a line for each empty cell.
std::vector<std::string> empty_cells(const std::map<std::string, OperatorSummary>& summary);

/// docs/matrix.md
std::string matrix_markdown(const std::map<std::string, OperatorSummary>& summary,
                            const std::vector<std::string>& targets);

}  // namespace t2n::test
