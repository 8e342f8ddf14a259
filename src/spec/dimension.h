// Sizes over symbols, and what is asserted of them, as tract reads them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/comparison.h"
#include "nnef/ast.h"

namespace t2n::spec {

/// An expression of the graph's body: integers and symbols under `+ - * /`, min and max. Quotients
/// are rounded towards zero, as tract does. Nothing for any other expression.
std::optional<ir::Dim> read_dimension(const nnef::Value& expression);

/// With numbers for symbols; unchanged where a number does not fit into 64 bits.
ir::Dim at_sizes(const ir::Dim& dim, const ir::Sizes& sizes);

/// `extension tract_assert S <= 4` or, of a scenario, `extension tract_assert name: S == 1`.
struct Assertion {
  std::string text;      ///< "S <= 4"
  std::string scenario;  ///< "" for what holds in all of them
  ir::Comparison comparison;
};

/// Those of the document, in its order. The language is not that of the body: `a*b/2` is
/// `a*(b/2)`, and symbols may have dots in their names. What cannot be read is left out.
std::vector<Assertion> read_assertions(const nnef::Document& document);

/// Whether it holds; nothing where symbols stand in it.
std::optional<bool> holds(const ir::Comparison& comparison);

/// `slope*S + offset`, with a slope that is not 0.
struct Line {
  int64_t slope = 0;
  int64_t offset = 0;
  /// The S that gives `value`; nothing if that is no whole number.
  std::optional<int64_t> root(int64_t value) const;
};
/// Nothing for any other expression over one symbol.
std::optional<Line> as_line(const ir::Dim& dim);

/// What the document declares by `extension tract_symbol`.
std::vector<ir::Symbol> declared_symbols(const nnef::Document& document);

}  // namespace t2n::spec
