// The result of a check as a text table: one line per output.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "src/check/compare.h"

namespace t2n::check {

struct OutputRow {
  std::string name;
  Comparison comparison;
  std::optional<double> response;  ///< the median of its elements' moves, in tolerances
  std::optional<double> moved;     ///< the ratio of elements that moved; nothing: not measured
  std::optional<Yardstick> yardstick;
  std::string where;  ///< the set of inputs, if not the samples: "at S=13"
};

/// Below this ratio of moving elements a wrong export would pass as well. Of integers and booleans
/// any that moves will do: classes and masks seldom change.
constexpr double kMinMoved = 1.0 / 3;

/// Values that agree say nothing where the output hardly reacts to its inputs. Values that do not
/// are right where torch is no nearer to f64.
Verdict verdict(const OutputRow& row);
/// "ok", "inconclusive", "DIFFERS"
std::string_view verdict_name(Verdict verdict);

/// A header line and a line per output, indented by two, ending in a newline.
std::string verdict_table(std::span<const OutputRow> rows);

}  // namespace t2n::check
