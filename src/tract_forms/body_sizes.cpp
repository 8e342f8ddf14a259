// SPDX-License-Identifier: Apache-2.0
#include "src/tract_forms/body_sizes.h"

#include <algorithm>
#include <iterator>

namespace t2n::tract_forms {
namespace {

using ir::Dim;
using ir::Shape;

/// Whether a size is a symbol times an integer, plus an integer.
bool has_one_symbol(const Dim& size) {
  return size.terms().size() == 1 && size.terms()[0].atoms.size() == 1 &&
         std::holds_alternative<ir::Symbol>(size.terms()[0].atoms[0]);
}

}  // namespace

std::vector<ir::Symbol> unknown_sizes(const std::set<ir::Symbol>& used,
                                      const std::vector<Shape>& inputs) {
  std::set<ir::Symbol> known;
  for (const Shape& shape : inputs)
    for (const Dim& size : shape)
      if (has_one_symbol(size)) known.insert(size.symbols()[0]);
  std::vector<ir::Symbol> out;
  std::set_difference(used.begin(), used.end(), known.begin(), known.end(),
                      std::back_inserter(out));
  return out;
}

}  // namespace t2n::tract_forms
