// SPDX-License-Identifier: Apache-2.0
#include "ir/quotients.h"

#include <algorithm>

namespace t2n::ir {
namespace {

/// Quotients by positive numbers.
std::vector<FloorDiv> quotients_in(const Dim& dim) {
  std::vector<FloorDiv> out;
  for (const Term& term : dim.terms())
    for (const Atom& atom : term.atoms) {
      const auto* quotient = std::get_if<FloorDiv>(&atom);
      if (quotient != nullptr && quotient->b.is_constant() && quotient->b.value() > 1)
        out.push_back(*quotient);
    }
  return out;
}

/// The number of terms and of operations in them: tract has no form for the difference of two
/// quotients.
size_t length(const Dim& sum) {
  size_t out = sum.constant_part() == 0 ? 0 : 1;
  for (const Term& term : sum.terms())
    out += 1 + static_cast<size_t>(
                   std::count_if(term.atoms.begin(), term.atoms.end(),
                                 [](const Atom& atom) { return operands_of(atom) != nullptr; }));
  return out;
}

/// Equivalent forms of a quotient, by halving its divisor (a // 2n) or by complement (S // n).
std::vector<Dim> equivalent_forms(const FloorDiv& quotient) {
  const int64_t n = quotient.b.value();
  std::vector<Dim> out;
  if (n % 2 == 0)
    out.push_back(floor_div(quotient.a, n / 2) - floor_div(quotient.a + n / 2, quotient.b));
  std::vector<Term> terms = quotient.a.terms();
  for (Term& term : terms) term.factor = 1;
  const Dim base = sum_of(std::move(terms));
  // Rewriting quotients of quotients would not terminate.
  if (n > 2 && length(base) == base.terms().size())
    out.push_back(base - floor_div(quotient.b * base - quotient.a + (n - 1), n));
  return out;
}

Dim replaced(const Dim& dim, const FloorDiv& quotient, const Dim& replacement) {
  return dim.map([&](const Atom& atom) {
    return atom == Atom(quotient) ? replacement : sum_of({Term{1, {atom}}});
  });
}

}  // namespace

Dim with_fewer_terms(Dim dim) {
  for (size_t before = 0; before != length(dim);) {
    before = length(dim);
    for (const FloorDiv& quotient : quotients_in(dim))
      for (const Dim& equivalent : equivalent_forms(quotient))
        if (Dim shorter = replaced(dim, quotient, equivalent); length(shorter) < length(dim))
          dim = shorter;
  }
  return dim;
}

}  // namespace t2n::ir
