// Values of a document's symbols to try it at.
#pragma once

#include <map>
#include <vector>

#include "src/spec/dimension.h"

namespace t2n::spec {

/// What the values of one symbol are limited to, beside the assertions.
struct Limits {
  int64_t least = 1;
  int64_t most = INT64_MAX;
  int64_t multiple = 1;
};

/// A few values for all symbols at once, of 1 and more, for which every assertion holds that is of
/// no scenario: the least, primes, even numbers, large ones, those next to the bounds. One empty
/// setting where there is no symbol, none where none was found.
std::vector<ir::Sizes> trial_sizes(const std::vector<ir::Symbol>& symbols,
                                   const std::vector<Assertion>& assertions,
                                   const std::map<ir::Symbol, Limits>& limits);

}  // namespace t2n::spec
