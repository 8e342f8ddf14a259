#include "src/dynamic/facts.h"

#include <algorithm>
#include <utility>

#include "ir/prove.h"

namespace t2n::dynamic {

using ir::Dim;
using ir::Verdict;

std::optional<bool> Facts::decide(const Dim& a, Relation relation, const Dim& b) {
  const Comparison asked{a, relation, b};
  const Verdict verdict = ir::prove(asked, known_);
  if (verdict != Verdict::unknown) return verdict == Verdict::always;
  const auto seen = count(asked);
  if (!seen || (*seen != 0 && *seen != trials_.size())) return std::nullopt;
  assume(*seen != 0 ? asked : negated(asked));
  return *seen != 0;
}

bool Facts::equal(const Dim& a, const Dim& b) { return is_settled({a, Relation::eq, b}); }

bool Facts::is_settled(const Comparison& asked) {
  const Verdict verdict = ir::prove(asked, known_);
  if (verdict != Verdict::unknown) return verdict == Verdict::always;
  if (count(asked) != trials_.size()) return false;
  assume(asked);
  return true;
}

std::optional<size_t> Facts::count(const Comparison& asked) const {
  size_t out = 0;
  for (const Sizes* sizes : trials_) {
    const Dim left = asked.left.substitute(*sizes), right = asked.right.substitute(*sizes);
    if (!left.is_constant() || !right.is_constant()) return std::nullopt;
    if (ir::holds(left.value(), asked.relation, right.value())) ++out;
  }
  return out;
}

void Facts::forget(const Symbol& symbol) {
  std::erase_if(known_, [&](const Comparison& each) {
    return each.left.mentions(symbol) || each.right.mentions(symbol);
  });
}

void Facts::assume(const Comparison& comparison) {
  assumed_.push_back(plain(comparison));
  known_.push_back(assumed_.back());
}

bool Facts::stays_open(const Comparison& asked) const {
  return keeps_orders_ && (ir::is_born(asked.left) || ir::is_born(asked.right)) &&
         ir::prove(asked, known_) != Verdict::always &&
         ir::prove({asked.right, asked.relation, asked.left}, known_) != Verdict::always;
}

Dim Facts::smaller(const Dim& a, const Dim& b) {
  const Comparison fits{a, Relation::le, b};
  if (stays_open(fits)) return min(a, b);
  if (is_settled(fits)) return a;
  return is_settled({a, Relation::ge, b}) ? b : min(a, b);
}

Dim Facts::larger(const Dim& a, const Dim& b) {
  const Comparison fits{a, Relation::ge, b};
  if (stays_open(fits)) return max(a, b);
  if (is_settled(fits)) return a;
  return is_settled({a, Relation::le, b}) ? b : max(a, b);
}

Dim Facts::simplified(const Dim& dim) {
  return dim.map([this](const ir::Atom& atom) {
    const ir::Operands* of = ir::operands_of(atom);
    if (of == nullptr) return Dim::symbol(std::get<Symbol>(atom));
    const Dim a = simplified(of->a), b = simplified(of->b);
    if (std::holds_alternative<ir::FloorDiv>(atom)) return floor_div(a, b);
    if (std::holds_alternative<ir::Mod>(atom)) return a - b * floor_div(a, b);
    return std::holds_alternative<ir::Min>(atom) ? smaller(a, b) : larger(a, b);
  });
}

Dim Facts::simplified_number(const Dim& dim) const {
  return dim.map([this](const ir::Atom& atom) {
    const ir::Operands* of = ir::operands_of(atom);
    if (of == nullptr) return Dim::symbol(std::get<Symbol>(atom));
    const Dim a = simplified_number(of->a), b = simplified_number(of->b);
    if (std::holds_alternative<ir::Mod>(atom)) return a - b * floor_div(a, b);
    if (std::holds_alternative<ir::FloorDiv>(atom)) return floor_div(a, b);
    const bool is_smallest = std::holds_alternative<ir::Min>(atom);
    const auto fits = [&](Relation relation) {
      return ir::prove({a, relation, b}, known_) == Verdict::always;
    };
    if (fits(is_smallest ? Relation::le : Relation::ge)) return a;
    if (fits(is_smallest ? Relation::ge : Relation::le)) return b;
    return ir::with_operands(atom, a, b);
  });
}

std::vector<Comparison> Facts::take_assumed() {
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

}  // namespace t2n::dynamic
