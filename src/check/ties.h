// SPDX-License-Identifier: Apache-2.0
// Explains differences, element by element, by rounding ties in the other direction.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "src/check/compare.h"

namespace t2n::check {

/// An output in f64: as the model computes it, and with values before rounding to integers
/// moved slightly, together with inputs and weights.
using Runs = std::vector<std::vector<double>>;

/// A result that differs from torch's, compared with the runs.
struct Ties {
  int64_t elements = 0;
  int64_t off = 0;            ///< beyond the tolerance
  int64_t outside = 0;        ///< of these, not in the range of any run
  int64_t between_steps = 0;  ///< of these, off by a fraction of a step
  int64_t movable = 0;        ///< elements that ties change by more than the tolerance
  double result_rms = 0;      ///< from torch's
  double moved_rms = 0;       ///< the distance between the runs
  double scale_rms = 0;       ///< of the values

  /// Ties explain each element that is off.
  bool explain_all() const { return outside == 0 && between_steps == 0; }
  /// Ties change so much that a wrong file would be off by about as much.
  bool are_everywhere(bool is_discrete) const;
  /// The result is no further from torch's than the runs are from one another.
  bool are_as_far() const { return result_rms <= moved_rms; }
};

/// `step`: the quantisation step of the output. Nothing if shapes differ.
std::optional<Ties> measure_ties(const ir::Tensor& torch, const ir::Tensor& result,
                                 const Runs& runs, const Tolerance& tolerance,
                                 std::optional<double> step);
/// Whether every element lies within the runs, so that they are a reference for the output.
bool are_within(const ir::Tensor& torch, const Runs& runs, const Tolerance& tolerance);

/// How a result relates to LibTorch's quantised engines.
struct Engines {
  bool is_other = false;    ///< every element equals the other engine's
  bool disagree = false;    ///< the two differ by more than ties explain
  bool are_as_far = false;  ///< the result is as near to the nearer one as they are to each other
};
Engines measure_engines(const ir::Tensor& torch, const ir::Tensor& other, const ir::Tensor& result,
                        const Runs& runs, const Tolerance& tolerance, std::optional<double> step);

/// Whether a result equals torch's except at ties. If ties are everywhere, nearly all elements must
/// be equal, which a wrong file would not achieve by chance.
bool equals_but_for_ties(const ir::Tensor& torch, const ir::Tensor& result, const Runs& runs,
                         const Tolerance& tolerance, std::optional<double> step);

}  // namespace t2n::check
