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
  sweep,     ///< integers of a known range, by Variation::parts; floats as by redraw
  from_end,  ///< the same, less the length of the range: indices that count from the end
  uniform,   ///< masks (is_mask) that are Variation::factor everywhere; the others stay
  integers,  ///< integers of no known range: larger ones, and negative ones
  sign,      ///< floats of one sign, that of Variation::factor
  alike,     ///< rows along the last axis that are all one of them, by Variation::seed
  within,    ///< integers from 0 to the largest that there is
};

struct Variation {
  Change change = Change::redraw;
  uint64_t seed = 1;
  /// Only these samples; nothing: all.
  std::optional<std::vector<size_t>> only = {};
  /// Integers and booleans stay: the model takes no others.
  bool holds_integers = false;
  std::vector<double> thresholds = {};  ///< of Change::cross
  double factor = 10;                   ///< of Change::scale, Change::uniform and Change::sign
  /// Of Change::sweep, of which `seed` is one: all numbers of the range in these, or where they are
  /// too few, numbers at equal steps from the first to the last.
  uint64_t parts = 1;
};

/// The values of fill(samples, 0), varied. States stay near to what they are.
std::vector<trace::SampleInput> varied(const std::vector<Sample>& samples,
                                       const Variation& variation);

/// Whether an input may be a mask: truth values, or integers of no known range that are 0 or 1, or
/// were given by their shape alone.
bool is_mask(const Sample& sample);

/// Numbers of the graph that values are compared with or limited to, each once.
std::vector<double> thresholds_of(const ir::Graph& graph);

}  // namespace t2n
