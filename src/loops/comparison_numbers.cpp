// SPDX-License-Identifier: Apache-2.0
// Numbers that depend on the iteration number: as tensors of the body, and their ranges.
#include <utility>

#include "src/loops/comparison.h"
#include "src/loops/iteration.h"

namespace t2n::loops {
namespace {

using ir::Dim;
using ir::Node;
using ir::ValueId;

bool mentions_number(const ir::Atom& atom, const ir::Symbol& number) {
  return ir::sum_of({{1, {atom}}}).mentions(number);
}

}  // namespace

/// An operation of the body on integers.
ValueId IterationComparison::number_node(std::string_view op, ValueId self, ir::Attr other,
                                         const Node& origin) {
  std::vector<ir::Argument> args = {{"self", ir::TensorRef{self}}, {"other", std::move(other)}};
  if (op.starts_with("aten::add")) args.push_back({"alpha", Dim(1)});
  const ValueId out = body_.node(op, std::move(args), ir::DType::i64, {}, origin);
  body_.graph().nodes.back().compute_dtype = ir::DType::i64;
  return out;
}

/// An atom that mentions the iteration.
ValueId IterationComparison::atom_value(const ir::Atom& atom, const Node& origin) {
  const ir::Operands* const operands = ir::operands_of(atom);
  if (operands == nullptr) return found_.number;
  const bool is_quotient = std::holds_alternative<ir::FloorDiv>(atom);
  if (!is_quotient && !std::holds_alternative<ir::Mod>(atom))
    differ(origin, "a number is the minimum or maximum of numbers that depend on the iteration",
           "use the iteration number itself");
  if (!operands->a.mentions(loop().number) || operands->b.mentions(loop().number))
    differ(origin, "a number is divided by the iteration number",
           "use the iteration number as a tensor");
  return number_node(is_quotient ? "aten::floor_divide.Scalar" : "aten::remainder.Scalar",
                     sum_value(operands->a, origin), operands->b, origin);
}

/// The number `dim`, which mentions the iteration, as a tensor.
ValueId IterationComparison::number_value(const Dim& dim, const Node& origin) {
  const ir::Symbol& number = loop().number;
  return sum_value(replaced(dim, number, Dim::symbol(number) + Dim(found_.start)), origin);
}

/// The same for a number whose iteration number counts from the start of the scan.
ValueId IterationComparison::sum_value(const Dim& dim, const Node& origin) {
  ValueId sum = ir::kNoValue;
  Dim rest(dim.constant_part());
  for (const ir::Term& term : dim.terms()) {
    ValueId product = ir::kNoValue;
    Dim factor(term.factor);
    for (const ir::Atom& atom : term.atoms) {
      if (!mentions_number(atom, loop().number)) {
        factor = factor * ir::sum_of({{1, {atom}}});
        continue;
      }
      const ValueId each = atom_value(atom, origin);
      product = product == ir::kNoValue
                    ? each
                    : number_node("aten::mul.Tensor", product, ir::TensorRef{each}, origin);
    }
    if (product == ir::kNoValue) {
      rest = rest + factor;
      continue;
    }
    if (!(factor == Dim(1))) product = number_node("aten::mul.Scalar", product, factor, origin);
    sum = sum == ir::kNoValue
              ? product
              : number_node("aten::add.Tensor", sum, ir::TensorRef{product}, origin);
  }
  if (rest == Dim(0)) return sum;
  return number_node("aten::add.Scalar", sum, rest, origin);
}

/// The least and the largest value of an index in all iterations. Nothing unless the index is
/// monotonic, or periodic because of a remainder.
std::optional<std::pair<Dim, Dim>> IterationComparison::range_of(const Dim& index) const {
  const ir::Symbol& number = loop().number;
  const auto ends = [&](bool rises) {
    const Dim first = replaced(index, number, found_.start);
    const Dim last = replaced(index, number, loop().length - Dim(1));
    return rises ? std::pair(first, last) : std::pair(last, first);
  };
  if (const auto step = coefficient(index, number)) return ends(*step >= 0);
  for (const ir::Term& term : index.terms()) {
    if (term.atoms.size() != 1 || !mentions_number(term.atoms[0], number)) continue;
    const auto found = remainder_of(term.atoms[0]);
    if (!found) continue;
    const auto& [remainder, divisor] = *found;
    const bool is_quotient = std::holds_alternative<ir::FloorDiv>(term.atoms[0]);
    const auto step = coefficient(ir::operands_of(term.atoms[0])->a, number);
    if (is_quotient && step && !(index - ir::sum_of({term})).mentions(number))
      return ends((*step >= 0) == (term.factor >= 0));
    if (is_quotient && term.factor % divisor != 0) continue;
    const int64_t factor = is_quotient ? -term.factor / divisor : term.factor;
    const Dim rest = index - Dim(factor) * remainder;
    if (rest.mentions(number)) continue;
    const Dim end = rest + Dim(factor * (divisor - 1));
    return factor < 0 ? std::pair(end, rest) : std::pair(rest, end);
  }
  return std::nullopt;
}

}  // namespace t2n::loops
