// Explains why an output of a model that rounds differs from LibTorch's.
#pragma once

#include <optional>

#include "src/check/ties.h"
#include "src/check/verdict_table.h"
#include "src/export/input_sets.h"

namespace t2n {

/// Why an output differs from LibTorch's.
struct Explanation {
  std::optional<check::MismatchCause> cause;  ///< nothing: it is wrong
  bool engines_disagree = false;              ///< LibTorch's own differ by more than ties explain
  bool is_free_of_ties = false;               ///< no tie moves the output: only roundings remain
};

/// For an output that differs from LibTorch's beyond the tolerance. `step`: that of its quantiser.
Explanation explain(const TracedModel& model, InputSet& set, size_t output,
                    const ir::Tensor& result, const check::Tolerance& tolerance,
                    std::optional<double> step);

/// Whether LibTorch's outputs may be those of a quantised model's recorded graph, `results`: they
/// are no further apart than ties move them, or than LibTorch's own engines are. `quanta`: see
/// settle_sets.
bool may_be_of_torch(const TracedModel& model, InputSet& set,
                     const std::vector<ir::Tensor>& results, const check::Tolerance& tolerance,
                     const std::vector<std::optional<double>>& quanta);

}  // namespace t2n
