// The result of a check as a text table, one line per output.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "src/check/compare.h"
#include "src/check/quanta.h"

namespace t2n::check {

/// Engines' own kernels stay below; weights rounded to f16 do not. For sums of more than kShortSum
/// elements the limit grows in proportion, as an engine may add one after another.
constexpr double kMostTimesTorch = 100;
constexpr double kShortSum = 1000;

/// Explains why an output of a quantised model differs from LibTorch's default engine.
enum class MismatchCause {
  ties,      ///< every element lies where rounding a tie to the other side puts it
  engine,    ///< every element equals another engine of LibTorch
  unsettled  ///< no explanation, but LibTorch's engines differ as much among themselves
};

struct OutputRow {
  std::string name;
  Deviation comparison;
  std::optional<double> response;  ///< the median move of its elements, in tolerances
  std::optional<double> moved;     ///< the share of elements that moved; nothing: not measured
  /// The steps of the model were compared, so that it does not matter how many elements moved.
  bool has_right_steps = false;
  std::optional<F64Distance> f64_distance;  ///< for this set of inputs
  /// The engine's distance from f64 in units of torch's: the largest over the measured sets.
  std::optional<double> times_torch;
  /// The limit for it: more is a fault even within the tolerance. None if the level asks for less.
  std::optional<double> most_times_torch = kMostTimesTorch;
  std::optional<MismatchCause> cause = {};  ///< set if the comparison alone says that it differs
  std::optional<Quanta> quanta;             ///< over all sets, for an output behind a quantiser
  std::string where;                        ///< the set of inputs, if not the samples: "at S=13"
};

/// Below this share of moving elements, a wrong export would pass as well. For integers and
/// booleans any moving element suffices: classes and masks seldom change.
constexpr double kMinMoved = 1.0 / 3;

/// Whether the values, though within the tolerance, are further from f64 than rounding explains.
bool is_too_far(const OutputRow& row);
/// Whether elements lie between the steps of the quantiser, at a level that allows less.
bool is_between_steps(const OutputRow& row);
/// Values that agree mean nothing if the output hardly reacts to its inputs. Values that differ are
/// right if torch is no nearer to f64, or if a ruling says so, and mean nothing if rounding the
/// inputs moves them as far. Values that are NaN or infinite on one side only are never right.
Verdict verdict(const OutputRow& row);
/// "ok", "inconclusive", "DIFFERS"
std::string_view verdict_name(Verdict verdict);

/// A header and one line per output, indented by two, ending in a newline.
std::string verdict_table(std::span<const OutputRow> rows);
/// One line per output behind a quantiser, over all sets: "quanta: y at most 1 (of 0.023): of 3200
/// elements 3 off by one, none by more, none between steps; 3 at ties"
std::string quanta_text(std::span<const OutputRow> rows);

}  // namespace t2n::check
