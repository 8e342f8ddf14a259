#include "ir/halves.h"

#include <algorithm>

namespace t2n::ir {
namespace {

/// Quotients by even numbers: a // 2n is the half of a // n.
std::vector<FloorDiv> halves_in(const Dim& dim) {
  std::vector<FloorDiv> out;
  for (const Term& term : dim.terms())
    for (const Atom& atom : term.atoms) {
      const auto* half = std::get_if<FloorDiv>(&atom);
      if (half != nullptr && half->b.is_constant() && half->b.value() > 0 &&
          half->b.value() % 2 == 0)
        out.push_back(*half);
    }
  return out;
}

/// Terms, and operations in them: tract has no form for the difference of two quotients.
size_t length(const Dim& sum) {
  size_t out = sum.constant_part() == 0 ? 0 : 1;
  for (const Term& term : sum.terms())
    out += 1 + static_cast<size_t>(
                   std::count_if(term.atoms.begin(), term.atoms.end(),
                                 [](const Atom& atom) { return operands_of(atom) != nullptr; }));
  return out;
}

/// With the other way to write `half` in its place.
Dim rewritten(const Dim& dim, const FloorDiv& half) {
  const Dim by = half.b.value() / 2;
  const Dim other = floor_div(half.a, by) - floor_div(half.a + by, half.b);
  return dim.map([&](const Atom& atom) {
    return atom == Atom(half) ? other : sum_of({Term{1, {atom}}});
  });
}

}  // namespace

Dim with_fewer_terms(Dim dim) {
  for (size_t before = 0; before != length(dim);) {
    before = length(dim);
    for (const FloorDiv& half : halves_in(dim))
      if (Dim shorter = rewritten(dim, half); length(shorter) < length(dim)) dim = shorter;
  }
  return dim;
}

}  // namespace t2n::ir
