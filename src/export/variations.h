// Other values for inputs, so that a wrong file shows: each set changes something of its own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/export/samples.h"

namespace t2n {

enum class Change {
  redraw,    ///< as fill() does; what a permutation leaves alone is drawn anew
  scale,     ///< floats ten times as large, or Variation::factor
  negate,    ///< floats with the other sign
  simple,    ///< floats that are 0, 1 and -1
  cross,     ///< floats and integers around the numbers that the model compares with
  sweep,     ///< integers of a known range, one after the other; floats as by redraw
  from_end,  ///< the same, less the length of the range: indices that count from the end
  integers,  ///< integers of no known range: larger ones, and negative ones
};

struct Variation {
  Change change = Change::redraw;
  uint64_t seed = 1;
  /// Only these samples; nothing: all.
  std::optional<std::vector<size_t>> only = {};
  /// Integers and booleans stay: the model takes no others.
  bool holds_integers = false;
  std::vector<double> thresholds = {};  ///< of Change::cross
  double factor = 10;                   ///< of Change::scale
};

/// The values of fill(samples, 0), varied. States stay near to what they are.
std::vector<trace::SampleInput> varied(const std::vector<Sample>& samples,
                                       const Variation& variation);

/// Numbers of the graph that values are compared with or limited to, each once.
std::vector<double> thresholds_of(const ir::Graph& graph);

}  // namespace t2n
