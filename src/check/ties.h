// Differences that rounding to the other side of ties explains, element by element.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "src/check/compare.h"

namespace t2n::check {

/// An output in f64: as the model says it, then with what is rounded to whole numbers moved a
/// little, and inputs and weights with it.
using Runs = std::vector<std::vector<double>>;

/// What a result that differs from torch's has in common with the runs.
struct Ties {
  int64_t elements = 0;
  int64_t off = 0;            ///< beyond the tolerance
  int64_t outside = 0;        ///< of these: no run is there, nor beyond
  int64_t between_steps = 0;  ///< of these: a whole number of steps leads nowhere near
  int64_t movable = 0;        ///< elements that ties move by more than the tolerance
  double result_rms = 0;      ///< from torch's
  double moved_rms = 0;       ///< how far the runs are apart
  double scale_rms = 0;       ///< of the values

  /// Each element that is off lies where ties may put it.
  bool are_all() const { return outside == 0 && between_steps == 0; }
  /// Ties move so much that a wrong file would be about as far off.
  bool are_everywhere(bool is_stepped) const;
  /// The result is no further from torch's than the runs are apart.
  bool are_as_far() const { return result_rms <= moved_rms; }
};

/// `step`: of the quantiser that the output comes from. Nothing where shapes differ.
std::optional<Ties> measure_ties(const ir::Tensor& torch, const ir::Tensor& result,
                                 const Runs& runs, const Tolerance& tolerance,
                                 std::optional<double> step);
/// Whether every element lies where the runs are: they are a measure of the output then.
bool are_within(const ir::Tensor& torch, const Runs& runs, const Tolerance& tolerance);

/// How results stand to LibTorch's engines for quantised layers.
struct Engines {
  bool is_other = false;    ///< the result is the other engine's, in every element
  bool disagree = false;    ///< the two are further apart than ties explain
  bool are_as_far = false;  ///< the result is no further from the nearer one than they are apart
};
Engines measure_engines(const ir::Tensor& torch, const ir::Tensor& other, const ir::Tensor& result,
                        const Runs& runs, const Tolerance& tolerance, std::optional<double> step);

}  // namespace t2n::check
