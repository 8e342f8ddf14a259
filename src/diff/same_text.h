// SPDX-License-Identifier: Apache-2.0
// Compares two documents except for names: numbers, and the first statement with another
// difference.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/nnef/ast.h"

namespace t2n::diff {

struct NumberDifference {
  std::string statement;  ///< the name of its result, in a
  std::string operation;
  std::string argument;  ///< whose whole values follow; "" if they are single numbers
  std::string before;    ///< in a
  std::string after;
};

/// The first statements that differ in more than numbers; empty if one document has none there.
struct StatementDifference {
  std::string before;  ///< in a: "y = relu(x)"
  std::string after;
};

struct TextDifference {
  std::vector<NumberDifference> numbers;                    ///< that differ by more than rounding
  std::vector<std::pair<std::string, std::string>> labels;  ///< of variables, in a and in b
  /// `numbers` and `labels` cover the preceding statements.
  std::optional<StatementDifference> first_statement;
};

/// Compares statement by statement. Names of tensors and labels may differ by a one-to-one mapping.
/// Nothing if symbols, assertions, properties or inputs differ: the documents are not from the same
/// export. Both must have been parsed.
std::optional<TextDifference> compare_text(const nnef::Document& a, const nnef::Document& b);

}  // namespace t2n::diff
