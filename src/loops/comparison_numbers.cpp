// Numbers over the iteration's number: as tensors of the body, and the range that they lie in.
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

/// An operation of the body on whole numbers.
ValueId IterationComparison::number_node(std::string_view op, ValueId self, ir::Attr other,
                                         const Node& beside) {
  std::vector<ir::Argument> args = {{"self", ir::TensorRef{self}}, {"other", std::move(other)}};
  if (op.starts_with("aten::add")) args.push_back({"alpha", Dim(1)});
  const ValueId out = body_.node(op, std::move(args), ir::DType::i64, {}, beside);
  body_.graph().nodes.back().compute_dtype = ir::DType::i64;
  return out;
}

/// An atom that mentions the iteration.
ValueId IterationComparison::atom_value(const ir::Atom& atom, const Node& beside) {
  const ir::Operands* const operands = ir::operands_of(atom);
  if (operands == nullptr) return found_.number;
  const bool is_quotient = std::holds_alternative<ir::FloorDiv>(atom);
  if (!is_quotient && !std::holds_alternative<ir::Mod>(atom))
    differ(beside, "a number is the lesser or larger of numbers that follow from the iteration",
           "compute with the number of the iteration itself");
  if (!operands->a.mentions(loop().number) || operands->b.mentions(loop().number))
    differ(beside, "a number is divided by the number of the iteration",
           "compute with the iteration as a tensor");
  return number_node(is_quotient ? "aten::floor_divide.Scalar" : "aten::remainder.Scalar",
                     sum_value(operands->a, beside), operands->b, beside);
}

/// The number `dim`, which mentions the iteration, as a tensor.
ValueId IterationComparison::number_value(const Dim& dim, const Node& beside) {
  const ir::Symbol& number = loop().number;
  return sum_value(replaced(dim, number, Dim::symbol(number) + Dim(found_.start)), beside);
}

/// The same for a number over the iterations of the scan, of which the first is 0.
ValueId IterationComparison::sum_value(const Dim& dim, const Node& beside) {
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
      const ValueId each = atom_value(atom, beside);
      product = product == ir::kNoValue
                    ? each
                    : number_node("aten::mul.Tensor", product, ir::TensorRef{each}, beside);
    }
    if (product == ir::kNoValue) {
      rest = rest + factor;
      continue;
    }
    if (!(factor == Dim(1))) product = number_node("aten::mul.Scalar", product, factor, beside);
    sum = sum == ir::kNoValue
              ? product
              : number_node("aten::add.Tensor", sum, ir::TensorRef{product}, beside);
  }
  if (rest == Dim(0)) return sum;
  return number_node("aten::add.Scalar", sum, rest, beside);
}

/// The least and the largest value of a place in all iterations; nothing if neither the first nor
/// the last iteration has them, nor a remainder.
std::optional<std::pair<Dim, Dim>> IterationComparison::range_of(const Dim& place) const {
  const ir::Symbol& number = loop().number;
  const auto ends = [&](bool rises) {
    const Dim first = replaced(place, number, found_.start);
    const Dim last = replaced(place, number, loop().length - Dim(1));
    return rises ? std::pair(first, last) : std::pair(last, first);
  };
  if (const auto step = coefficient(place, number)) return ends(*step >= 0);
  for (const ir::Term& term : place.terms()) {
    if (term.atoms.size() != 1 || !mentions_number(term.atoms[0], number)) continue;
    const auto found = remainder_of(term.atoms[0]);
    if (!found) continue;
    const auto& [remainder, divisor] = *found;
    const bool is_quotient = std::holds_alternative<ir::FloorDiv>(term.atoms[0]);
    const auto step = coefficient(ir::operands_of(term.atoms[0])->a, number);
    if (is_quotient && step && !(place - ir::sum_of({term})).mentions(number))
      return ends((*step >= 0) == (term.factor >= 0));
    if (is_quotient && term.factor % divisor != 0) continue;
    const int64_t factor = is_quotient ? -term.factor / divisor : term.factor;
    const Dim rest = place - Dim(factor) * remainder;
    if (rest.mentions(number)) continue;
    const Dim end = rest + Dim(factor * (divisor - 1));
    return factor < 0 ? std::pair(end, rest) : std::pair(rest, end);
  }
  return std::nullopt;
}

}  // namespace t2n::loops
