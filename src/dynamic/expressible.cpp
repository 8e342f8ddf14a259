// SPDX-License-Identifier: Apache-2.0
#include "src/dynamic/expressible.h"

#include <algorithm>
#include <numeric>

#include "ir/atoms.h"
#include "ir/prove.h"
#include "src/shapes/constraint_set.h"

namespace t2n::dynamic {

using ir::Dim;
using ir::Verdict;

namespace {

/// The side of "!=" that the sample is on. With several symbols it is allowed only if the other
/// side is impossible.
std::optional<Comparison> one_sided(const Comparison& c, const Sizes& sample,
                                    const std::vector<Comparison>& known) {
  const Dim gap = c.left - c.right;
  const bool is_above = evaluate(gap, sample) > 0;
  const Relation side = is_above ? Relation::ge : Relation::le;
  if (gap.symbols().size() > 1 && !follows({gap, side, 0}, known)) return std::nullopt;
  return shapes::plain(ir::balanced({c.left, is_above ? Relation::gt : Relation::lt, c.right}));
}

bool has_readable_quotients(const Dim& dim) {
  bool out = true;
  ir::for_each_atom(dim, [&](const ir::Atom& atom) {
    const ir::Operands* operands = ir::operands_of(atom);
    if (operands != nullptr)
      out = out && operands->b.is_constant() && operands->b.value() > 0 &&
            has_readable_quotients(operands->a);
  });
  return out;
}

/// Rewrites `S - (S + 1) // 2` as `S // 2`.
Dim one_quotient(const Dim& dim) {
  for (const ir::Term& term : dim.terms()) {
    const auto* quotient =
        term.atoms.size() == 1 ? std::get_if<ir::FloorDiv>(&term.atoms[0]) : nullptr;
    if (quotient == nullptr || (term.factor != 1 && term.factor != -1) ||
        !quotient->b.is_constant() || quotient->b.value() <= 0)
      continue;
    const Dim rest = dim - ir::sum_of({term});
    const Dim up = term.factor < 0 ? quotient->b - Dim(1) : Dim(0);
    return floor_div(quotient->b * rest + Dim(term.factor) * quotient->a + up, quotient->b);
  }
  return dim;
}

/// The period of the remainders in a sum of nested quotients; 0 if it contains anything else, or if
/// the period is too long to try.
int64_t remainder_period(const Dim& dim) {
  constexpr int64_t kMost = 1000;
  int64_t out = 1;
  for (const ir::Term& term : dim.terms()) {
    if (term.atoms.size() != 1) return 0;
    if (std::holds_alternative<Symbol>(term.atoms[0])) continue;
    const auto* quotient = std::get_if<ir::FloorDiv>(&term.atoms[0]);
    if (quotient == nullptr || !quotient->b.is_constant() || quotient->b.value() <= 0 ||
        quotient->b.value() > kMost)
      return 0;
    out = std::lcm(out, quotient->b.value() * remainder_period(quotient->a));
    if (out == 0 || out > kMost) return 0;
  }
  return out;
}

/// Rewrites `B - 2*((B + 2) // 3) >= 1` as `B >= 5`, from which on it always holds. Nothing if it
/// does not, or if there is more than one symbol.
std::optional<Comparison> least_from(const Comparison& comparison, const Sizes& sample) {
  if (!ir::is_involved(comparison)) return std::nullopt;
  const bool is_upper = comparison.relation == Relation::le || comparison.relation == Relation::lt;
  const Comparison c = is_upper ? ir::mirrored(comparison) : comparison;
  const Dim gap = c.left - c.right;
  const std::vector<Symbol> symbols = gap.symbols();
  const int64_t period = remainder_period(gap);
  const auto size = symbols.size() == 1 ? sample.find(symbols[0]) : sample.end();
  if (period == 0 || size == sample.end()) return std::nullopt;
  const auto at = [&](int64_t n) { return evaluate(gap, Sizes{{symbols[0], n}}); };
  const auto holds_at = [&](int64_t n) { return ir::holds(at(n), c.relation, 0); };
  const bool grows = at(size->second + period) >= at(size->second);
  const bool is_lower = c.relation == Relation::ge || c.relation == Relation::gt;
  if (!is_lower || !grows) return std::nullopt;
  int64_t first = size->second;
  for (int64_t n = first; n < first + period; ++n)
    if (!holds_at(n)) return std::nullopt;
  while (first > 0 && holds_at(first - 1)) --first;
  return Comparison{Dim::symbol(symbols[0]), Relation::ge, first};
}

bool has_product(const Dim& dim) {
  return std::any_of(dim.terms().begin(), dim.terms().end(),
                     [](const ir::Term& term) { return term.atoms.size() > 1; });
}

/// `S >= 2` for `S - 1 >= 1`; a bound of a symbol alone stays as written.
Comparison solved_for_symbol(const Comparison& comparison) {
  const Comparison canonical =
      shapes::plain({comparison.left - comparison.right, comparison.relation, Dim(0)});
  const bool is_new = comparison.left.as_symbol() == nullptr &&
                      comparison.right.as_symbol() == nullptr &&
                      canonical.left.as_symbol() != nullptr;
  return is_new ? canonical : comparison;
}

/// A product that must be at least `least`.
struct ProductBound {
  std::vector<Dim> factors;
  int64_t least = 1;
};

/// Nothing if there is no product, or no atom is common to all terms.
std::optional<ProductBound> product_bound(const Comparison& comparison) {
  const Comparison balanced = ir::balanced(comparison);
  if (balanced.relation != Relation::ge && balanced.relation != Relation::le) return std::nullopt;
  const Dim gap = balanced.relation == Relation::ge ? balanced.left - balanced.right
                                                    : balanced.right - balanced.left;
  if (!has_product(gap)) return std::nullopt;
  std::vector<ir::Term> terms = gap.terms();
  int64_t common = 0;
  for (const ir::Term& term : terms) common = std::gcd(common, term.factor);
  ProductBound out{{}, -ir::floor_div_int(gap.constant_part(), common)};
  for (const ir::Atom& atom : std::vector<ir::Atom>(terms[0].atoms)) {
    const auto position = [&](ir::Term& term) {
      return std::find(term.atoms.begin(), term.atoms.end(), atom);
    };
    if (!std::all_of(terms.begin(), terms.end(),
                     [&](ir::Term& term) { return position(term) != term.atoms.end(); }))
      continue;
    for (ir::Term& term : terms) term.atoms.erase(position(term));
    out.factors.push_back(ir::sum_of({ir::Term{1, {atom}}}));
  }
  for (ir::Term& term : terms) term.factor /= common;
  if (const Dim rest = ir::sum_of(std::move(terms)); rest != Dim(1)) out.factors.push_back(rest);
  return out.factors.size() < 2 ? std::nullopt : std::optional(out);
}

/// tract does not terminate on `B*T >= 2`. Returns bounds of the factors that imply it: one factor
/// is that large in the sample, the others are at least 1. If 0 is enough, no factor is negative.
std::optional<std::vector<Comparison>> by_factors(const ProductBound& bound, const Seen& seen,
                                                  const std::vector<Comparison>& known) {
  const Sizes& sample = seen.front();
  const auto is_least = [&](const Dim& each) { return evaluate(each, sample) >= bound.least; };
  const auto large = std::find_if(bound.factors.begin(), bound.factors.end(), is_least);
  if (large == bound.factors.end()) return std::nullopt;
  std::vector<Comparison> out, all = known;
  for (auto each = bound.factors.begin(); each != bound.factors.end(); ++each) {
    const Dim least = each == large ? std::max<int64_t>(bound.least, 0) : bound.least > 0 ? 1 : 0;
    if (evaluate(*each, sample) < least.value()) return std::nullopt;
    const auto part = expressible({*each, Relation::ge, least}, seen, all);
    if (!part) return std::nullopt;
    out.insert(out.end(), part->begin(), part->end());
    all.insert(all.end(), part->begin(), part->end());
  }
  return out;
}

}  // namespace

bool follows(const Comparison& comparison, const std::vector<Comparison>& known) {
  return ir::prove(comparison, known) == Verdict::always;
}

std::optional<std::vector<Comparison>> without_orders(const Comparison& comparison) {
  const bool is_upper = comparison.relation == Relation::le || comparison.relation == Relation::lt;
  const Comparison c = is_upper ? ir::mirrored(comparison) : comparison;
  const Dim gap = c.left - c.right;
  if (shapes::orders_in(gap).empty()) return {{comparison}};
  if (c.relation != Relation::ge && c.relation != Relation::gt) return std::nullopt;
  for (const ir::Term& term : gap.terms()) {
    if (term.atoms.size() != 1) continue;
    const bool bounds_both = term.factor > 0 ? std::holds_alternative<ir::Min>(term.atoms[0])
                                             : std::holds_alternative<ir::Max>(term.atoms[0]);
    if (!bounds_both) continue;
    const ir::Operands& operands = *ir::operands_of(term.atoms[0]);
    const Dim rest = gap - ir::sum_of({term});
    auto out = without_orders({rest + term.factor * operands.a, c.relation, 0});
    const auto other = without_orders({rest + term.factor * operands.b, c.relation, 0});
    if (!out || !other) return std::nullopt;
    out->insert(out->end(), other->begin(), other->end());
    return out;
  }
  return std::nullopt;
}

namespace {

std::optional<std::vector<Comparison>> expressible_each(const std::vector<Comparison>& parts,
                                                        const Seen& seen,
                                                        const std::vector<Comparison>& known) {
  std::vector<Comparison> out, all = known;
  for (const Comparison& part : parts) {
    if (follows(part, all)) continue;
    const auto forms = expressible(part, seen, all);
    if (!forms) return std::nullopt;
    out.insert(out.end(), forms->begin(), forms->end());
    all.insert(all.end(), forms->begin(), forms->end());
  }
  return out;
}

bool mentions_orders(const Comparison& comparison) {
  return !shapes::orders_in(comparison.left).empty() ||
         !shapes::orders_in(comparison.right).empty();
}

/// Replaces minima and maxima by the operand that they equal at all of the sizes.
Comparison with_known_orders(const Comparison& comparison, std::vector<const Sizes*> seen,
                             const std::vector<Comparison>& known, std::vector<Comparison>& out) {
  shapes::ConstraintSet constraints(std::move(seen), known);
  const Comparison rest{constraints.simplified(comparison.left), comparison.relation,
                        constraints.simplified(comparison.right)};
  for (Comparison& each : constraints.take_assumed()) out.push_back(std::move(each));
  return rest;
}

}  // namespace

std::optional<std::vector<Comparison>> expressible(const Comparison& comparison, const Seen& seen,
                                                   const std::vector<Comparison>& known) {
  const Sizes& sample = seen.front();
  if (mentions_orders(comparison) && !follows(comparison, known)) {
    if (comparison.relation == Relation::ne)
      if (const auto side = one_sided(comparison, sample, known))
        return expressible(*side, seen, known);
    if (const auto parts = without_orders(comparison)) return expressible_each(*parts, seen, known);
  }
  std::vector<Comparison> out;
  std::vector<const Sizes*> all_seen;
  for (const Sizes& each : seen) all_seen.push_back(&each);
  Comparison rest = with_known_orders(comparison, all_seen, known, out);
  if (mentions_orders(rest)) rest = with_known_orders(rest, {&sample}, known, out);
  std::vector<Comparison> all = known;
  all.insert(all.end(), out.begin(), out.end());
  if (!follows(rest, all)) {
    if (rest.relation == Relation::ne) {
      const auto side = one_sided(rest, sample, all);
      if (!side) return std::nullopt;
      rest = *side;
    }
    if (const auto product = product_bound(rest)) {
      const auto bounds = by_factors(*product, seen, all);
      if (!bounds) return std::nullopt;
      out.insert(out.end(), bounds->begin(), bounds->end());
      return out;
    }
    if (ir::is_involved(rest))
      rest = shapes::plain({one_quotient(rest.left - rest.right), rest.relation, 0});
    if (const auto least = least_from(rest, sample)) rest = *least;
    if (has_product(rest.left - rest.right)) return std::nullopt;
    out.push_back(solved_for_symbol(rest));
  }
  const bool is_readable = std::all_of(out.begin(), out.end(), [](const Comparison& each) {
    return has_readable_quotients(each.left) && has_readable_quotients(each.right) &&
           !ir::is_involved(each);
  });
  return is_readable ? std::optional(out) : std::nullopt;
}

}  // namespace t2n::dynamic
