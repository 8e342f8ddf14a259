// SPDX-License-Identifier: Apache-2.0
// Choices that an engine may make differently from torch: the order of equal elements, and the
// direction in which a tie is rounded.
#pragma once

#include <string>
#include <vector>

#include "src/check/check_model.h"

namespace t2n {

/// Whether the recorded graph orders, selects or rounds elements.
bool has_choices(const SourceModel& model);

/// Results of the graph's choosing operations, in their order.
using Choices = std::vector<ir::Tensor>;

/// The choices that an engine makes for each set. Writes a file with them among its outputs to the
/// scratch folder, loads and runs it, and loads the artefact again. Empty if the engine cannot run
/// it.
std::vector<Choices> choices_in_engine(const Checking& checking,
                                       const std::vector<const InputSet*>& sets);

/// Replaces the set's reference by the graph's results with these choices, if the file gives the
/// same results, and torch leaves each choice undefined. The graph must be the model's program for
/// the set.
///
/// - scores at other positions differ by no more than torch's own do from f64, and each position
///   occurs once; the first of equals is selected where torch's documentation requires it;
/// - a value that is rounded in the other direction is so near to a tie that rounding moves it
/// across.
///
/// False if the choices do not explain the file's results.
bool apply_choices(const SourceModel& model, InputSet& set, const Choices& choices,
                   const std::vector<ir::Tensor>& actual, const check::Tolerance& tolerance);

/// Whether torch permits every choice of these sets, given the preceding ones, and a third of them
/// change between sets: then all intermediate values were compared, even if the outputs hardly
/// change.
bool are_choices_valid(const SourceModel& model, const std::vector<const InputSet*>& sets,
                       const std::vector<Choices>& choices);

}  // namespace t2n
