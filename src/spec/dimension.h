// SPDX-License-Identifier: Apache-2.0
// Sizes over symbols in a document, and conditions on them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/comparison.h"
#include "src/nnef/ast.h"

namespace t2n::spec {

/// An expression in the graph's body: integers and symbols with `+ - * /`, min and max. Quotients
/// are truncated, as in tract. std::nullopt for any other expression.
std::optional<ir::Dim> read_dimension(const nnef::Value& expression);

/// The dimension with symbols replaced by numbers; unchanged if a number does not fit into 64 bits.
ir::Dim at_sizes(const ir::Dim& dim, const ir::Sizes& sizes);

using nnef::Assertion;

/// Whether it holds; std::nullopt if it contains symbols.
std::optional<bool> holds(const ir::Comparison& comparison);

/// `slope*S + offset`; the slope is not 0.
struct Line {
  int64_t slope = 0;
  int64_t offset = 0;
  /// The S that gives `value`; std::nullopt if it is no integer.
  std::optional<int64_t> root(int64_t value) const;
};
/// std::nullopt for any other expression over one symbol.
std::optional<Line> as_line(const ir::Dim& dim);

}  // namespace t2n::spec
