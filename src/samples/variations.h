// SPDX-License-Identifier: Apache-2.0
// Variations of the samples that expose a wrong file; each set applies one change.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/samples/samples.h"

namespace t2n {

enum class Change {
  redraw,      ///< like fill(); values that a permutation cannot change are replaced
  scale,       ///< floats ten times as large, or Variation::factor
  negate,      ///< negated floats
  simple,      ///< floats that are 0, 1 and -1
  cross,       ///< floats and integers around the numbers that the model compares with
  sweep,       ///< integers of a known range, by Variation::parts; floats like redraw
  from_end,    ///< the same minus the length of the range: negative indices
  uniform,     ///< masks (is_mask) become Variation::factor everywhere; others are kept
  integers,    ///< larger and negative integers (is_free_integer)
  sign,        ///< floats with the sign of Variation::factor
  equal_rows,  ///< all rows equal one of them, chosen by Variation::seed
  within,      ///< integers from 0 to the largest one of the sample
  magnitudes,  ///< floats times powers of ten, from a ten-thousandth to ten thousand
  halves,      ///< floats that are odd multiples of 1/2, 1/4 or 1/8, and integer-valued ones
  ends,        ///< limits of integer types with Variation::factor values (is_free_integer)
  special,     ///< some floats become Variation::factor: infinite, or NaN
};

struct Variation {
  Change change = Change::redraw;
  uint64_t seed = 1;
  /// Changes only these samples; nothing: all.
  std::optional<std::vector<size_t>> only = {};
  /// Keeps integers and booleans, if the model accepts no others.
  bool keeps_integers = false;
  std::vector<double> thresholds = {};  ///< of Change::cross
  double factor = 10;                   ///< of Change::scale, uniform, sign, ends and special
  /// For Change::sweep: the number of parts; `seed` is the index of one. Together they contain all
  /// numbers of the range or, if there are too many, equidistant ones from the first to the last.
  uint64_t parts = 1;
};

/// Varies the values of fill(samples, 0). States stay near their values.
std::vector<trace::SampleInput> varied(const std::vector<Sample>& samples,
                                       const Variation& variation);

/// Whether an input may be a mask: booleans, or integers without a known range that are 0 or 1 or
/// have no values.
bool is_mask(const Sample& sample);

/// Whether an input has integers without a known range that are no mask.
bool is_free_integer(const Sample& sample);

/// The distinct numbers that the graph compares values with or clamps them to.
std::vector<double> thresholds_of(const ir::Graph& graph);

}  // namespace t2n
