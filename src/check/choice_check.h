// SPDX-License-Identifier: Apache-2.0
// Applies the choices of an engine (choices.h) to the references of a check.
#pragma once

#include <string>
#include <vector>

#include "src/check/check_model.h"

namespace t2n {

/// Applies the engine's choices to the references of all sets whose differences they explain.
/// Returns the number of these sets. `actual`: the file's results, by set; `quanta`: by output, the
/// quantisation step, if it comes from a quantiser.
size_t apply_choices_to_sets(InputSets& sets, const Checking& checking, const Results& actual,
                             const std::vector<std::optional<double>>& quanta);

/// For a quantised model whose outputs hardly depend on its inputs: marks the rows as valid if all
/// intermediate choices of the engine are.
void compare_choices(const InputSets& sets, const Checking& checking, CheckResult& result);

}  // namespace t2n
