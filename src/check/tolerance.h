// SPDX-License-Identifier: Apache-2.0
// How far an output may be from its reference.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ir/dtype.h"

namespace t2n::check {

enum class Level { exact, close, approximate, very, super, ultra, custom };

/// The allowed difference of an element.
struct Margins {
  double absolute = 0;  ///< for each element, scaled by min(1, largest finite |reference| nearby)
  double relative = 0;  ///< for each element, of |reference|
  double outliers = 0;  ///< share of elements that may exceed both
};

struct Tolerance {
  Level level = Level::approximate;
  Margins custom;       ///< for Level::custom
  bool in_f16 = false;  ///< f32 results were computed in f16, whose numbers apply to both
};

std::vector<std::string> level_names();  ///< "exact", "close", …
/// Reads a level's name, or "A,R" or "A,R,O": absolute, relative, share of outliers. Errors:
/// `usage`.
Tolerance parse_tolerance(std::string_view text);
/// "approximate (atol 0.0001, rtol 0.0005)", with the numbers for f32.
std::string tolerance_str(const Tolerance& tolerance);
/// The numbers of tract, with special ones for 16-bit floats. Integers and booleans are exact at
/// every level.
Margins margins_for(const Tolerance& tolerance, ir::DType reference);

/// `--tolerance NAME=…`
struct OutputTolerance {
  std::string glob;  ///< of the artefact's outputs
  Tolerance tolerance;
};

}  // namespace t2n::check
