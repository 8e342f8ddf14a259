// SPDX-License-Identifier: Apache-2.0
// Random sizes for property tests.
#pragma once

#include <rapidcheck.h>

#include <string>
#include <vector>

#include "ir/shape.h"

namespace t2n::test {

/// An expression over the symbols of every kind that Dim knows, up to `depth` operations deep, with
/// divisors from 1 to 5.
inline ir::Dim drawn_dim(int depth, const std::vector<std::string>& symbols) {
  const auto choice = *rc::gen::inRange(0, depth == 0 ? 2 : 9);
  if (choice == 0) return *rc::gen::inRange<int64_t>(-4, 8);
  if (choice == 1) return ir::Dim::symbol(*rc::gen::elementOf(symbols));
  const ir::Dim a = drawn_dim(depth - 1, symbols), b = drawn_dim(depth - 1, symbols);
  const int64_t number = *rc::gen::inRange<int64_t>(1, 6);
  switch (choice) {
    case 2: return a - b;
    case 3: return a * b;
    case 4: return floor_div(a, number);
    case 5: return floor_mod(a, number);
    case 6: return min(a, b);
    case 7: return max(a, b);
    default: return a + b;
  }
}

}  // namespace t2n::test
