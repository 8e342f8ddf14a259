// SPDX-License-Identifier: Apache-2.0
#include "ir/sizes.h"

#include <algorithm>

namespace t2n::ir {

std::set<Symbol> symbols_of(const Sizes& sizes) {
  std::set<Symbol> out;
  for (const auto& [symbol, size] : sizes) out.insert(symbol);
  return out;
}

int64_t evaluate(const Dim& dim, const Sizes& sizes) { return dim.substitute(sizes).value(); }

Ints evaluate(const Shape& shape, const Sizes& sizes) {
  Ints out;
  for (const Dim& dim : shape) out.push_back(evaluate(dim, sizes));
  return out;
}

bool holds(const Comparison& c, const Sizes& sizes) {
  return holds(evaluate(c.left, sizes), c.relation, evaluate(c.right, sizes));
}

bool all_hold(const std::vector<Comparison>& comparisons, const Sizes& sizes) {
  const auto is_known = [&](const Symbol& symbol) { return sizes.contains(symbol); };
  return std::all_of(comparisons.begin(), comparisons.end(), [&](const Comparison& r) {
    const auto left = r.left.symbols();
    const auto right = r.right.symbols();
    return !std::all_of(left.begin(), left.end(), is_known) ||
           !std::all_of(right.begin(), right.end(), is_known) || holds(r, sizes);
  });
}

std::vector<Comparison> joined(std::vector<Comparison> first,
                               const std::vector<Comparison>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

}  // namespace t2n::ir
