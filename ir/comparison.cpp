// SPDX-License-Identifier: Apache-2.0
#include "ir/comparison.h"

#include <algorithm>
#include <numeric>

#include "src/diag/error.h"

namespace t2n::ir {

std::string_view str(Relation relation) {
  switch (relation) {
    case Relation::lt: return "<";
    case Relation::le: return "<=";
    case Relation::gt: return ">";
    case Relation::ge: return ">=";
    case Relation::eq: return "==";
    case Relation::ne: return "!=";
  }
  T2N_ASSERT(false, "no such relation");
}

Relation negated(Relation relation) {
  switch (relation) {
    case Relation::lt: return Relation::ge;
    case Relation::le: return Relation::gt;
    case Relation::gt: return Relation::le;
    case Relation::ge: return Relation::lt;
    case Relation::eq: return Relation::ne;
    case Relation::ne: return Relation::eq;
  }
  T2N_ASSERT(false, "no such relation");
}

Relation mirrored(Relation relation) {
  switch (relation) {
    case Relation::lt: return Relation::gt;
    case Relation::le: return Relation::ge;
    case Relation::gt: return Relation::lt;
    case Relation::ge: return Relation::le;
    case Relation::eq: return Relation::eq;
    case Relation::ne: return Relation::ne;
  }
  T2N_ASSERT(false, "no such relation");
}

bool holds(int64_t left, Relation relation, int64_t right) {
  switch (relation) {
    case Relation::lt: return left < right;
    case Relation::le: return left <= right;
    case Relation::gt: return left > right;
    case Relation::ge: return left >= right;
    case Relation::eq: return left == right;
    case Relation::ne: return left != right;
  }
  T2N_ASSERT(false, "no such relation");
}

namespace {

/// The terms of one sign, divided by a number of that sign.
Dim part_of(const Dim& dim, int64_t divisor) {
  std::vector<Term> out;
  for (const Term& term : dim.terms())
    if ((term.factor > 0) == (divisor > 0)) out.push_back({term.factor / divisor, term.atoms});
  return sum_of(std::move(out));
}

bool shares_symbol(const Dim& a, const Dim& b) {
  const std::vector<Symbol> symbols = a.symbols();
  return std::any_of(symbols.begin(), symbols.end(),
                     [&](const Symbol& symbol) { return b.mentions(symbol); });
}

bool is_mixed(const Term& term, const Dim& rest) {
  if (term.atoms.size() > 1) return true;
  if (term.atoms.empty() || operands_of(term.atoms[0]) == nullptr) return false;
  return shares_symbol(sum_of({term}), rest);
}

bool is_symbol(const Term& term) {
  return term.atoms.size() == 1 && operands_of(term.atoms[0]) == nullptr;
}

/// True for a quotient of a symbol and a number, or of such a quotient and a number.
bool is_chain(const Term& term) {
  if (is_symbol(term)) return true;
  const Operands* operands = term.atoms.size() == 1 ? operands_of(term.atoms[0]) : nullptr;
  return operands != nullptr && operands->a.terms().size() == 1 &&
         operands->a.terms()[0].factor == 1 && is_chain(operands->a.terms()[0]);
}

}  // namespace

bool is_involved(const Comparison& comparison) {
  const Dim gap = comparison.left - comparison.right;
  const auto is_quotient = [](const Term& term) { return !is_symbol(term); };
  const auto is_long = [&](const Term& term) { return is_quotient(term) && !is_chain(term); };
  if (std::count_if(gap.terms().begin(), gap.terms().end(), is_quotient) > 1 &&
      std::any_of(gap.terms().begin(), gap.terms().end(), is_long))
    return true;
  return std::any_of(gap.terms().begin(), gap.terms().end(),
                     [&](const Term& term) { return is_mixed(term, gap - sum_of({term})); });
}

Comparison balanced(const Comparison& comparison) {
  Relation relation = comparison.relation;
  Dim gap = comparison.left - comparison.right;
  if (relation == Relation::lt) gap = gap + 1;
  if (relation == Relation::gt) gap = gap - 1;
  if (relation == Relation::lt) relation = Relation::le;
  if (relation == Relation::gt) relation = Relation::ge;
  int64_t divisor = 0;
  for (const Term& term : gap.terms()) divisor = std::gcd(divisor, term.factor);
  const int64_t rest = gap.constant_part();
  const bool is_exact = relation == Relation::eq || relation == Relation::ne;
  if (divisor == 0 || (is_exact && rest % divisor != 0)) divisor = 1;
  // d*x + r <= 0 is x <= -ceil(r/d), and d*x + r >= 0 is x >= -floor(r/d).
  const int64_t number =
      relation == Relation::le ? -floor_div_int(-rest, divisor) : floor_div_int(rest, divisor);
  return {part_of(gap, divisor) + std::max<int64_t>(number, 0), relation,
          part_of(gap, -divisor) + std::max<int64_t>(-number, 0)};
}

std::string str(const Comparison& comparison) {
  return cat(comparison.left.str(), " ", str(comparison.relation), " ", comparison.right.str());
}

Comparison as_written(const Comparison& comparison) {
  return {as_written(comparison.left), comparison.relation, as_written(comparison.right)};
}

Comparison negated(Comparison comparison) {
  comparison.relation = negated(comparison.relation);
  return comparison;
}

Comparison mirrored(const Comparison& comparison) {
  return {comparison.right, mirrored(comparison.relation), comparison.left};
}

}  // namespace t2n::ir
