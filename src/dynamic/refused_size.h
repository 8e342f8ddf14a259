// SPDX-License-Identifier: Apache-2.0
// Sizes and numbers that cannot be expressed in the dynamic axes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/dynamic/infer.h"
#include "src/dynamic/level.h"

namespace t2n::dynamic {

/// What is being determined, for messages.
struct Subject {
  std::string op;
  std::string what;  ///< "axis 1 of its result"
  Where where;
};

/// A size or number in one probe.
struct Observation {
  const Sizes* symbols = nullptr;
  std::optional<int64_t> extent;
};

/// Errors: `dynamic-size`.
[[noreturn]] void refuse(const Subject& subject, const std::vector<Observation>& seen,
                         const std::string& why);

/// The shape of a value after a refusal: sizes that differ between probes get symbols of their own,
/// so that no other refusal follows.
ir::Shape shape_with_symbols(const Level& level, ir::ValueId value, std::vector<Probe>& probes);

}  // namespace t2n::dynamic
