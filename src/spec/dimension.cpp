// SPDX-License-Identifier: Apache-2.0
#include "src/spec/dimension.h"

#include "src/diag/error.h"
#include "src/tract_forms/sizes/size_reader.h"

namespace t2n::spec {
namespace {

using ir::Dim;
using nnef::Kind;
using nnef::Value;
using MaybeDim = std::optional<Dim>;

MaybeDim combined(std::string_view op, const MaybeDim& a, const MaybeDim& b) {
  return a && b ? tract_forms::size_operation(op, *a, *b) : MaybeDim{};
}

MaybeDim read_call(const Value& call) {
  if (call.arguments.size() != 2 || (call.text != "min" && call.text != "max")) return {};
  return combined(call.text, read_dimension(call.arguments[0].value),
                  read_dimension(call.arguments[1].value));
}

}  // namespace

std::optional<Dim> read_dimension(const Value& expression) {
  switch (expression.kind) {
    case Kind::integer: return Dim(expression.integer);
    case Kind::identifier: return Dim::symbol(expression.text);
    case Kind::dimension: return expression.dim;
    case Kind::unary:
      if (expression.text != "-") return {};
      return combined("-", Dim(0), read_dimension(expression.items[0]));
    case Kind::binary:
      return combined(expression.text, read_dimension(expression.items[0]),
                      read_dimension(expression.items[1]));
    case Kind::invocation: return read_call(expression);
    case Kind::scalar:
    case Kind::logical:
    case Kind::string:
    case Kind::array:
    case Kind::tuple:
    case Kind::if_else:
    case Kind::subscript:
    case Kind::comprehension:
    case Kind::reference:
    case Kind::none: return {};
  }
  return {};
}

Dim at_sizes(const Dim& dim, const ir::Sizes& sizes) try {
  return dim.substitute(sizes);
} catch (const Error&) {
  return dim;
}

std::optional<bool> holds(const ir::Comparison& comparison) {
  if (!comparison.left.is_constant() || !comparison.right.is_constant()) return {};
  return ir::holds(comparison.left.value(), comparison.relation, comparison.right.value());
}

std::optional<int64_t> Line::root(int64_t value) const {
  const int64_t scaled = value - offset;
  return scaled % slope == 0 ? std::optional(scaled / slope) : std::nullopt;
}

std::optional<Line> as_line(const Dim& dim) {
  if (dim.terms().size() != 1) return {};
  const ir::Term& term = dim.terms()[0];
  const bool is_line = term.atoms.size() == 1 && std::holds_alternative<ir::Symbol>(term.atoms[0]);
  return is_line ? std::optional(Line{term.factor, dim.constant_part()}) : std::nullopt;
}

}  // namespace t2n::spec
