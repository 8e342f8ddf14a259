// Differences that are explained, element by element, by rounding ties to the other side.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "src/check/compare.h"

namespace t2n::check {

/// An output in f64: as the model computes it, and with values before rounding to whole numbers
/// moved slightly, together with inputs and weights.
using Runs = std::vector<std::vector<double>>;

/// A result that differs from torch's, compared with the runs.
struct Ties {
  int64_t elements = 0;
  int64_t off = 0;            ///< beyond the tolerance
  int64_t outside = 0;        ///< of these, not in the range of any run
  int64_t between_steps = 0;  ///< of these, not explained by whole steps
  int64_t movable = 0;        ///< elements that ties move by more than the tolerance
  double result_rms = 0;      ///< from torch's
  double moved_rms = 0;       ///< the distance between the runs
  double scale_rms = 0;       ///< of the values

  /// Each element that is off lies where ties may put it.
  bool are_all() const { return outside == 0 && between_steps == 0; }
  /// Ties move so much that a wrong file would be off by about as much.
  bool are_everywhere(bool is_stepped) const;
  /// The result is no further from torch's than the runs are from one another.
  bool are_as_far() const { return result_rms <= moved_rms; }
};

/// `step`: that of the quantiser before the output. Nothing if shapes differ.
std::optional<Ties> measure_ties(const ir::Tensor& torch, const ir::Tensor& result,
                                 const Runs& runs, const Tolerance& tolerance,
                                 std::optional<double> step);
/// Whether every element lies where the runs are, so that they are a measure for the output.
bool are_within(const ir::Tensor& torch, const Runs& runs, const Tolerance& tolerance);

/// How a result relates to LibTorch's quantised engines.
struct Engines {
  bool is_other = false;    ///< every element equals the other engine's
  bool disagree = false;    ///< the two differ by more than ties explain
  bool are_as_far = false;  ///< the result is no further from the nearer one than they differ
};
Engines measure_engines(const ir::Tensor& torch, const ir::Tensor& other, const ir::Tensor& result,
                        const Runs& runs, const Tolerance& tolerance, std::optional<double> step);

/// Whether a result is torch's but for ties. Where ties are everywhere, nearly all elements must be
/// equal: a wrong file would not be so by chance.
bool equals_but_for_ties(const ir::Tensor& torch, const ir::Tensor& result, const Runs& runs,
                         const Tolerance& tolerance, std::optional<double> step);

}  // namespace t2n::check
