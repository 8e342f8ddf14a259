// SPDX-License-Identifier: Apache-2.0
#include "src/shapes/constraint_set.h"

#include <algorithm>
#include <utility>

#include "ir/prove.h"

namespace t2n::shapes {

using ir::Dim;
using ir::Verdict;

std::vector<ir::Operands> orders_in(const Dim& dim) {
  std::vector<ir::Operands> out;
  const auto add = [&out](const Dim& inside) {
    const std::vector<ir::Operands> more = orders_in(inside);
    out.insert(out.end(), more.begin(), more.end());
  };
  for (const ir::Term& term : dim.terms())
    for (const ir::Atom& atom : term.atoms) {
      const ir::Operands* operands = ir::operands_of(atom);
      if (operands == nullptr) continue;
      if (std::holds_alternative<ir::Min>(atom) || std::holds_alternative<ir::Max>(atom))
        out.push_back(*operands);
      add(operands->a);
      add(operands->b);
    }
  return out;
}

std::optional<bool> ConstraintSet::decide(const Dim& a, Relation relation, const Dim& b) {
  const Comparison comparison{a, relation, b};
  const Verdict verdict = ir::prove(comparison, known_);
  if (verdict != Verdict::unknown) return verdict == Verdict::always;
  const auto seen = count(comparison);
  if (!seen || (*seen != 0 && *seen != probes_.size())) return std::nullopt;
  assume(*seen != 0 ? comparison : negated(comparison));
  return *seen != 0;
}

bool ConstraintSet::holds(const Dim& a, Relation relation, const Dim& b) {
  const Comparison comparison{a, relation, b};
  const Verdict verdict = ir::prove(comparison, known_);
  if (verdict != Verdict::unknown) return verdict == Verdict::always;
  if (count(comparison) != probes_.size()) return false;
  assume(comparison);
  return true;
}

std::optional<size_t> ConstraintSet::count(const Comparison& comparison) const {
  size_t out = 0;
  for (const Sizes* sizes : probes_) {
    const Dim left = comparison.left.substitute(*sizes),
              right = comparison.right.substitute(*sizes);
    if (!left.is_constant() || !right.is_constant()) return std::nullopt;
    if (ir::holds(left.value(), comparison.relation, right.value())) ++out;
  }
  return out;
}

void ConstraintSet::forget(const Symbol& symbol) {
  std::erase_if(known_, [&](const Comparison& each) {
    return each.left.mentions(symbol) || each.right.mentions(symbol);
  });
}

void ConstraintSet::assume(const Comparison& comparison) {
  assumed_.push_back(plain(comparison));
  known_.push_back(assumed_.back());
}

bool ConstraintSet::follows(const Dim& a, Relation relation, const Dim& b) const {
  return ir::prove({a, relation, b}, known_) == Verdict::always;
}

bool ConstraintSet::is_undecided(const Dim& a, const Dim& b) const {
  const auto is_decided = [&](const ir::Operands& each) {
    return each == ir::Operands{a, b} || each == ir::Operands{b, a};
  };
  const bool is_unbacked = ir::is_unbacked(a) || ir::is_unbacked(b);
  return orders_.kept >= (is_unbacked ? Orders::Kept::unbacked : Orders::Kept::all) &&
         std::ranges::none_of(orders_.decided, is_decided) && !follows(a, Relation::le, b) &&
         !follows(a, Relation::ge, b);
}

/// An order that may give an empty size is decided: few programs mean it, and engines fail on it.
bool ConstraintSet::stays_symbolic(const Dim& a, const Dim& b) const {
  return is_undecided(a, b) && (ir::is_unbacked(a) || ir::is_unbacked(b) ||
                                (follows(a, Relation::ge, 1) && follows(b, Relation::ge, 1)));
}

Dim ConstraintSet::smaller(const Dim& a, const Dim& b) {
  return stays_symbolic(a, b) ? min(a, b) : decided_smaller(a, b);
}

Dim ConstraintSet::larger(const Dim& a, const Dim& b) {
  return stays_symbolic(a, b) ? max(a, b) : decided_larger(a, b);
}

Dim ConstraintSet::decided_smaller(const Dim& a, const Dim& b) {
  if (holds(a, Relation::le, b)) return a;
  return holds(a, Relation::ge, b) ? b : min(a, b);
}

Dim ConstraintSet::decided_larger(const Dim& a, const Dim& b) {
  if (holds(a, Relation::ge, b)) return a;
  return holds(a, Relation::le, b) ? b : max(a, b);
}

Dim ConstraintSet::simplified(const Dim& dim) {
  return dim.map([this](const ir::Atom& atom) {
    const ir::Operands* operands = ir::operands_of(atom);
    if (operands == nullptr) return Dim::symbol(std::get<Symbol>(atom));
    const Dim a = simplified(operands->a), b = simplified(operands->b);
    if (std::holds_alternative<ir::FloorDiv>(atom)) return floor_div(a, b);
    if (std::holds_alternative<ir::Mod>(atom)) return a - b * floor_div(a, b);
    // A number that the program computes, such as an amount of padding, may be 0.
    const bool is_smallest = std::holds_alternative<ir::Min>(atom);
    const bool a_is_natural = follows(a, Relation::ge, 0),
               b_is_natural = follows(b, Relation::ge, 0);
    const bool is_natural =
        is_smallest ? a_is_natural && b_is_natural : a_is_natural || b_is_natural;
    if (is_undecided(a, b) && (is_natural || ir::is_unbacked(a) || ir::is_unbacked(b)))
      return ir::with_operands(atom, a, b);
    return is_smallest ? decided_smaller(a, b) : decided_larger(a, b);
  });
}

Dim ConstraintSet::simplified_number(const Dim& dim) const {
  return dim.map([this](const ir::Atom& atom) {
    const ir::Operands* operands = ir::operands_of(atom);
    if (operands == nullptr) return Dim::symbol(std::get<Symbol>(atom));
    const Dim a = simplified_number(operands->a), b = simplified_number(operands->b);
    if (std::holds_alternative<ir::Mod>(atom)) return a - b * floor_div(a, b);
    if (std::holds_alternative<ir::FloorDiv>(atom)) return floor_div(a, b);
    const bool is_smallest = std::holds_alternative<ir::Min>(atom);
    if (follows(a, is_smallest ? Relation::le : Relation::ge, b)) return a;
    if (follows(a, is_smallest ? Relation::ge : Relation::le, b)) return b;
    return ir::with_operands(atom, a, b);
  });
}

std::vector<Comparison> ConstraintSet::take_assumed() {
  known_.resize(known_.size() - assumed_.size());
  return std::exchange(assumed_, {});
}

namespace {

/// "S >= 5" for "S - 3 > 1", "S <= 8" for "8 - S >= 0".
Comparison shifted(const Comparison& comparison) {
  const bool is_flipped = (comparison.left - comparison.left.constant_part()).is_constant();
  Comparison out = is_flipped ? mirrored(comparison) : comparison;
  const int64_t shift = out.left.constant_part();
  out = {out.left - shift, out.relation, out.right - shift};
  const std::vector<ir::Term>& terms = out.left.terms();
  if (out.right.is_constant() &&
      std::all_of(terms.begin(), terms.end(), [](const ir::Term& each) { return each.factor < 0; }))
    out = {Dim(-1) * out.left, ir::mirrored(out.relation), Dim(-1) * out.right};
  if (out.relation == Relation::gt) return {out.left, Relation::ge, out.right + 1};
  if (out.relation == Relation::lt) return {out.left, Relation::le, out.right - 1};
  return out;
}

/// "S >= 5" for "3*S >= 13" and for "((S + 1) // (2)) >= 3": removes one operation if possible.
std::optional<Comparison> solved(const Comparison& c) {
  const bool is_least = c.relation == Relation::ge;
  if ((!is_least && c.relation != Relation::le) || !c.right.is_constant() ||
      c.left.terms().size() != 1)
    return std::nullopt;
  const ir::Term& term = c.left.terms()[0];
  const Dim bound = c.right;
  if (term.factor > 1)
    return Comparison{ir::sum_of({{1, term.atoms}}), c.relation,
                      floor_div(is_least ? bound + (term.factor - 1) : bound, term.factor)};
  const auto* quotient = std::get_if<ir::FloorDiv>(&term.atoms[0]);
  if (term.factor != 1 || term.atoms.size() != 1 || quotient == nullptr ||
      !quotient->b.is_constant() || quotient->b.value() <= 0)
    return std::nullopt;
  const Dim by = quotient->b;
  return shifted({quotient->a, c.relation, is_least ? bound * by : bound * by + by - 1});
}

}  // namespace

Comparison plain(const Comparison& comparison) {
  Comparison out = shifted(comparison);
  while (const auto next = solved(out)) out = *next;
  return out;
}

}  // namespace t2n::shapes
