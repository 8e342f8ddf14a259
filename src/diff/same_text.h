// Two documents that are equal but for names and numbers.
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

struct SameText {
  std::vector<OtherNumber> numbers;                         ///< more than roundings apart
  std::vector<std::pair<std::string, std::string>> labels;  ///< of variables, in a and in b
};

/// Compares statement by statement. Names of tensors and labels may differ, one for one, and
/// numbers; nothing if anything else does. Both must have been parsed.
std::optional<SameText> same_text(const nnef::Document& a, const nnef::Document& b);

}  // namespace t2n::diff
