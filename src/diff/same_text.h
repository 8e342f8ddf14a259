// How two documents differ beyond names: in numbers, and from which statement on in more.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "nnef/ast.h"

namespace t2n::diff {

struct OtherNumber {
  std::string statement;  ///< the name of what it computes, in a
  std::string operation;
  std::string before;  ///< in a
  std::string after;
};

/// The first statements that differ in more; empty if one document has none there.
struct OtherStatement {
  std::string before;  ///< in a: "y = relu(x)"
  std::string after;
};

struct TextDifference {
  std::vector<OtherNumber> numbers;                         ///< more than roundings apart
  std::vector<std::pair<std::string, std::string>> labels;  ///< of variables, in a and in b
  /// What precedes it is in `numbers` and `labels`.
  std::optional<OtherStatement> first_other;
};

/// Compares statement by statement. Names of tensors and labels may differ, one for one. Nothing if
/// symbols, assertions, properties or inputs differ: the documents are then not of the same export.
/// Both must have been parsed.
std::optional<TextDifference> compare_text(const nnef::Document& a, const nnef::Document& b);

}  // namespace t2n::diff
