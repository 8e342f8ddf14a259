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
  std::optional<double> response;  ///< nothing: not measured, and then never `inconclusive`
  std::string sizes;               ///< of the dynamic axes in this run: "S=13"; "" for the sample's
};

/// Values that agree say nothing where the output hardly reacts to its inputs.
Verdict verdict(const OutputRow& row);
/// "ok", "inconclusive", "DIFFERS"
std::string_view verdict_name(Verdict verdict);

/// A header line and a line per output, indented by two, ending in a newline.
std::string verdict_table(std::span<const OutputRow> rows);

}  // namespace t2n::check
