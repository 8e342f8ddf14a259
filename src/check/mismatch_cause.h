// SPDX-License-Identifier: Apache-2.0
// Finds the cause of a mismatch with LibTorch, for models that round to integers.
#pragma once

#include <optional>

#include "src/check/input_sets.h"
#include "src/check/ties.h"
#include "src/check/verdict_table.h"

namespace t2n {

/// Why an output differs from LibTorch's.
struct Explanation {
  std::optional<check::MismatchCause> cause;  ///< nothing: it is wrong
  bool engines_disagree = false;  ///< LibTorch's own engines differ by more than ties explain
  bool is_free_of_ties = false;   ///< ties do not change the output; only rounding does
};

/// For an output that exceeds the tolerance. `step`: its quantisation step.
Explanation explain(const SourceModel& model, InputSet& set, size_t output,
                    const ir::Tensor& result, const check::Tolerance& tolerance,
                    std::optional<double> step);

/// Whether LibTorch's outputs may be those of a quantised model's recorded graph, `results`: they
/// differ at most by the effect of ties, or as much as LibTorch's own engines differ. `quanta`: see
/// apply_choices_to_sets.
bool may_be_of_torch(const SourceModel& model, InputSet& set,
                     const std::vector<ir::Tensor>& results, const check::Tolerance& tolerance,
                     const std::vector<std::optional<double>>& quanta);

}  // namespace t2n
