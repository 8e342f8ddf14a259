// SPDX-License-Identifier: Apache-2.0
// Systems of linear inequalities over the integers.
#pragma once

#include <cstdint>
#include <vector>

namespace t2n::ir {

/// factors[0]*x0 + factors[1]*x1 + … + constant >= 0. All inequalities of a system have the same
/// number of factors.
struct Inequality {
  std::vector<int64_t> factors;
  int64_t constant = 0;
};

/// True if no integers satisfy all of them; false if some do, or if deciding takes more than
/// `steps`. Subtracts the steps taken.
bool is_contradiction(const std::vector<Inequality>& system, int64_t& steps);

}  // namespace t2n::ir
