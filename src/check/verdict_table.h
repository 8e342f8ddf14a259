// SPDX-License-Identifier: Apache-2.0
// The result of a check as a text table, one line per output.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "src/check/compare.h"
#include "src/check/quanta.h"

namespace t2n::check {

/// A limit for the distance from f64 that engines' kernels stay below, but f16 weights do not. It
/// grows in proportion for sums of more than kShortSum elements, which engines may add
/// sequentially.
constexpr double kMostTimesTorch = 100;
constexpr double kShortSum = 1000;

/// Explains why an output of a quantised model differs from LibTorch's default engine.
enum class MismatchCause {
  ties,      ///< rounding ties in the other direction explains every element
  engine,    ///< every element equals another engine of LibTorch
  undecided  ///< no explanation, but LibTorch's engines differ as much among themselves
};

struct OutputRow {
  std::string name;
  Deviation comparison;
  std::optional<double> response = {};  ///< the median change of its elements, in tolerances
  std::optional<double> moved = {};  ///< the share of elements that changed; nothing: not measured
  /// All intermediate choices of the engine are valid: `moved` does not matter.
  bool has_valid_choices = false;
  std::optional<F64Distance> f64_distance = {};  ///< for this set of inputs
  /// The engine's distance from f64 in units of torch's: the largest over the measured sets.
  std::optional<double> times_torch = {};
  /// The limit for it, even within the tolerance. Nothing if the level is looser.
  std::optional<double> most_times_torch = kMostTimesTorch;
  std::optional<MismatchCause> cause = {};  ///< explains a difference beyond the tolerance
  std::optional<Quanta> quanta = {};        ///< over all sets, for an output of a quantiser
  std::string where = {};                   ///< the set of inputs, if not the samples: "at S=13"
};

/// Below this share of changing elements, a wrong export would pass as well. For integers and
/// booleans any changing element suffices: classes and masks seldom change.
constexpr double kMinMoved = 1.0 / 3;

/// Whether the values, though within the tolerance, are further from f64 than rounding explains.
bool is_too_far(const OutputRow& row);
/// Whether elements differ by fractions of a quantisation step, at a level that forbids it.
bool is_between_steps(const OutputRow& row);
/// Equal values are inconclusive if the output hardly depends on its inputs. Different values are
/// right if torch is no nearer to f64, or if `cause` explains them, and inconclusive if rounding
/// the inputs changes them by as much. Values that are NaN or infinite on one side only are wrong.
Verdict verdict(const OutputRow& row);
/// "ok", "inconclusive", "DIFFERS"
std::string_view verdict_name(Verdict verdict);

/// A header and one line per output, indented by two, ending in a newline. Lines have at most
/// `width` characters, unless a verdict explains itself: less telling columns are left out.
std::string verdict_table(std::span<const OutputRow> rows, size_t width);
/// One line per output of a quantiser, over all sets: "quanta: y at most 1 (of 0.023): of 3200
/// elements 3 off by one, none by more, none between steps; 3 at ties"
std::string quanta_text(std::span<const OutputRow> rows);

}  // namespace t2n::check
