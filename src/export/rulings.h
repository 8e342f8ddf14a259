// What explains an output of a model that rounds where it is not LibTorch's.
#pragma once

#include <optional>

#include "src/check/ties.h"
#include "src/check/verdict_table.h"
#include "src/export/input_sets.h"

namespace t2n {

struct Found {
  std::optional<check::Ruling> ruling;  ///< nothing: it is wrong
  bool engines_disagree = false;        ///< LibTorch's own, by more than ties explain
  bool is_free_of_ties = false;         ///< no tie moves the output: roundings alone are left
};

/// Of an output that differs from LibTorch's by the tolerance. `step`: of the quantiser that it
/// comes from.
Found explain(const TracedModel& model, InputSet& set, size_t output, const ir::Tensor& result,
              const check::Tolerance& tolerance, std::optional<double> step);

}  // namespace t2n
