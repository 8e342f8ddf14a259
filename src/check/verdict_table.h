// The result of a check as a text table: one line per output.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "src/check/compare.h"
#include "src/check/quanta.h"

namespace t2n::check {

/// Engines' own kernels stay below; weights rounded to f16 do not. Of sums of more than kShortSum
/// elements an engine may be further off, in proportion: it may add them one after the other.
constexpr double kMostTimesTorch = 100;
constexpr double kShortSum = 1000;

/// What explains an output of a quantised model that is not that of LibTorch's default engine.
enum class Ruling {
  ties,      ///< every element lies where rounding a tie to the other side puts it
  engine,    ///< every element is that of another engine of LibTorch's
  unsettled  ///< nothing, but LibTorch is no surer of it than the file is wrong
};

struct OutputRow {
  std::string name;
  Comparison comparison;
  std::optional<double> response;      ///< the median of its elements' moves, in tolerances
  std::optional<double> moved;         ///< the ratio of elements that moved; nothing: not measured
  std::optional<Yardstick> yardstick;  ///< of this set of inputs
  /// The engine's distance from f64 in units of torch's: the largest of the sets it was measured
  /// on.
  std::optional<double> times_torch;
  /// Times torch's distance from f64: more is a fault, within the tolerance as well. None where the
  /// level asks for less.
  std::optional<double> most_times_torch = kMostTimesTorch;
  std::optional<Ruling> ruling = {};  ///< where the comparison alone says that it differs
  std::optional<Quanta> quanta;       ///< of all sets, of an output behind a quantiser
  std::string where;                  ///< the set of inputs, if not the samples: "at S=13"
};

/// Below this ratio of moving elements a wrong export would pass as well. Of integers and booleans
/// any that moves will do: classes and masks seldom change.
constexpr double kMinMoved = 1.0 / 3;

/// Whether the values, though within the tolerance, are farther from f64 than rounding explains.
bool is_too_far(const OutputRow& row);
/// Whether elements lie between the steps of the quantiser, at a level that asks for less.
bool is_between_steps(const OutputRow& row);
/// Values that agree say nothing where the output hardly reacts to its inputs. Values that do not
/// are right where torch is no nearer to f64, or where a ruling says so, and say nothing where
/// rounding the inputs moves them as far. What is NaN or infinite on one side alone is never right.
Verdict verdict(const OutputRow& row);
/// "ok", "inconclusive", "DIFFERS"
std::string_view verdict_name(Verdict verdict);

/// A header line and a line per output, indented by two, ending in a newline.
std::string verdict_table(std::span<const OutputRow> rows);
/// A line per output behind a quantiser, of all sets: "quanta: y at most 1 (of 0.023): of 3200
/// elements 3 off by one, none by more, none between steps; 3 at ties"
std::string quanta_text(std::span<const OutputRow> rows);

}  // namespace t2n::check
