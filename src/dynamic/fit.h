// Finds the expression that a series of measured sizes follows.
#pragma once

#include <optional>
#include <vector>

#include "src/dynamic/axes.h"

namespace t2n::dynamic {

/// A size in one trial.
struct Observation {
  const Sizes* symbols = nullptr;
  int64_t extent = 0;
};

struct Fit {
  ir::Dim size;
  /// More observations agree than the expression has unknowns, by two: it was found on some and
  /// proven on others. Otherwise it is the simplest that is left; more observations may refute it.
  bool is_proven = false;
};

/// The simplest of: c; a*M + c; a*M + b*N + c; (a*M + b) // c, where M and N are products of
/// symbols. None if no such expression agrees with every observation.
std::optional<Fit> fit_size(const std::vector<Observation>& seen);

}  // namespace t2n::dynamic
