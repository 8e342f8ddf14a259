// SPDX-License-Identifier: Apache-2.0
// Values of a document's symbols to test it with.
#pragma once

#include <map>
#include <vector>

#include "src/spec/dimension.h"

namespace t2n::spec {

/// Limits for the values of one symbol, in addition to the assertions.
struct Limits {
  int64_t least = 1;
  int64_t most = INT64_MAX;
  int64_t multiple = 1;
};

/// A few assignments of values of 1 or more to all symbols that satisfy every assertion without a
/// scenario: the least, primes, even numbers, large ones, and those next to bounds. One empty
/// assignment if there are no symbols, no assignment if none was found.
std::vector<ir::Sizes> probe_sizes(const std::vector<ir::Symbol>& symbols,
                                   const std::vector<Assertion>& assertions,
                                   const std::map<ir::Symbol, Limits>& limits);

}  // namespace t2n::spec
