// What a document for tract may not say: shapes that do not go together.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "nnef/ast.h"
#include "src/spec/dimension.h"

namespace t2n::spec {

/// Why a document is wrong, at sizes that its assertions allow.
struct TractFinding {
  enum class Cure {
    none,      ///< wrong at all sizes tried
    least,     ///< right where the symbols are `number` or more
    multiple,  ///< right where they are multiples of `number`
    equal,     ///< right where they are equal
    most,      ///< right where they are `number` or less
    unknown,   ///< right at some sizes
  };
  std::string problem;         ///< "'y': 'concat': the shapes [2,3] and [2,4] do not go together"
  ir::Sizes sizes;             ///< where it shows
  bool is_structural = false;  ///< tract compares expressions there: no assertion helps
  Cure cure = Cure::none;
  std::vector<ir::Symbol> symbols;  ///< what is to be declared otherwise
  int64_t number = 0;
};

/// Runs the document's shapes at sizes that its assertions allow. Whatever is reported is a
/// counterexample; what is not known is let through. Linear in the document's size where it is
/// right.
std::optional<TractFinding> lint_tract(const nnef::Document& document);

/// "S=3, T=4"
std::string values_str(const ir::Sizes& values);

}  // namespace t2n::spec
