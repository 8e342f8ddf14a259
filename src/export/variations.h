// Other input values that expose a wrong file; each set changes one thing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/export/samples.h"

namespace t2n {

enum class Change {
  redraw,      ///< like fill(); what a permutation cannot change is drawn anew
  scale,       ///< floats ten times as large, or Variation::factor
  negate,      ///< floats with the other sign
  simple,      ///< floats that are 0, 1 and -1
  cross,       ///< floats and integers around the numbers that the model compares with
  sweep,       ///< integers of a known range, by Variation::parts; floats like redraw
  from_end,    ///< the same minus the length of the range: indices that count from the end
  uniform,     ///< masks (is_mask) become Variation::factor everywhere; others stay
  integers,    ///< is_free_integer: larger and negative ones
  sign,        ///< floats of one sign, that of Variation::factor
  alike,       ///< all rows along the last axis become one of them, chosen by Variation::seed
  within,      ///< integers from 0 to the largest given one
  magnitudes,  ///< floats times powers of ten, from a ten-thousandth to ten thousand
  halves,      ///< floats that are odd multiples of a half, a quarter or an eighth, and whole ones
  ends,     ///< is_free_integer: the ends of integers of Variation::factor values, and neighbours
  special,  ///< some of the floats are Variation::factor: infinite, or NaN
};

struct Variation {
  Change change = Change::redraw;
  uint64_t seed = 1;
  /// Changes only these samples; nothing: all.
  std::optional<std::vector<size_t>> only = {};
  /// Integers and booleans stay, since the model accepts no others.
  bool holds_integers = false;
  std::vector<double> thresholds = {};  ///< of Change::cross
  double factor = 10;                   ///< of Change::scale, uniform, sign, ends and special
  /// For Change::sweep: `seed` is one of so many parts. Together they contain all numbers of the
  /// range or, if there are too many, numbers at equal steps from the first to the last.
  uint64_t parts = 1;
};

/// The values of fill(samples, 0), varied. States stay near their values.
std::vector<trace::SampleInput> varied(const std::vector<Sample>& samples,
                                       const Variation& variation);

/// Whether an input may be a mask: booleans, or integers without a known range that are 0 or 1 or
/// were given only by shape.
bool is_mask(const Sample& sample);

/// Whether an input has integers of which no range is known, and that are not given as a mask.
bool is_free_integer(const Sample& sample);

/// Numbers that the graph compares values with or limits them to, each once.
std::vector<double> thresholds_of(const ir::Graph& graph);

}  // namespace t2n
