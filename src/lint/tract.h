// SPDX-License-Identifier: Apache-2.0
// Finds incompatible shapes in a tract document.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "src/nnef/ast.h"
#include "src/spec/dimension.h"

namespace t2n::spec {

/// Why a document is wrong at sizes that its assertions allow.
struct TractFinding {
  enum class Cure {
    none,      ///< wrong at all tried sizes
    least,     ///< right if the symbols are at least `number`
    multiple,  ///< right if they are multiples of `number`
    equal,     ///< right if they are equal
    most,      ///< right if they are at most `number`
    unknown,   ///< right at some sizes
  };
  std::string name;            ///< the first result of the wrong statement
  std::string problem;         ///< "'y': 'concat': the shapes [2,3] and [2,4] are incompatible"
  ir::Sizes sizes;             ///< an example
  bool is_structural = false;  ///< tract compares expressions there: an assertion does not help
  Cure cure = Cure::none;
  std::vector<ir::Symbol> symbols;  ///< symbols to declare differently
  int64_t number = 0;
};

/// This number of statements takes about ten seconds.
inline constexpr int64_t kCureBudget = 10'000'000;

/// Evaluates the document's shapes at sizes that its assertions allow. Each finding is a
/// counterexample; unknown shapes are accepted. Linear in the document's size if it is right; if
/// not, up to `budget` more statements are run to find the declaration that would fix it; if none
/// is found, the cure is `unknown`.
std::optional<TractFinding> lint_tract(const nnef::Document& document,
                                       int64_t budget = kCureBudget);

/// All findings of that evaluation, one for each statement. The statements whose first result is in
/// `skipped` are known to be wrong; what depends on a wrong one is not checked.
std::vector<TractFinding> lint_tract_all(const nnef::Document& document,
                                         const std::set<std::string>& skipped);

/// "S=3, T=4"
std::string values_str(const ir::Sizes& values);

}  // namespace t2n::spec
