// What an engine may choose otherwise than torch: the order of equals, and the side to which a tie
// is rounded.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "src/check/runner.h"
#include "src/export/input_sets.h"
#include "src/spec/dialect.h"

namespace t2n {

/// Whether the recorded graph orders, selects or rounds anything.
bool has_choices(const TracedModel& model);

/// Results of the graph's choosing operations, in their order.
using Choices = std::vector<ir::Tensor>;

/// The choices that an engine makes for each set: a file with them among its outputs is written to
/// `scratch`, and loaded in the place of `artefact`, which is loaded again. Nothing if the engine
/// cannot give them.
std::vector<Choices> choices_in_engine(const TracedModel& model, check::Runner& runner,
                                       spec::Dialect dialect,
                                       const std::vector<const InputSet*>& sets,
                                       const std::string& artefact,
                                       const std::filesystem::path& scratch);

/// Makes the graph's results with these choices the set's reference, if they are what the file
/// gives, and torch leaves each choice open. The graph must be the model's program for the set.
///
/// - scores at other positions differ by no more than torch's own do from f64, and no position is
///   taken twice; where torch's documentation says that the first of equals is taken, it is;
/// - what was rounded to the other side lies so near to a tie that rounding moves it across.
///
/// False if that does not explain the file's results.
bool settle_choices(const TracedModel& model, InputSet& set, const Choices& choices,
                    const std::vector<ir::Tensor>& actual, const check::Tolerance& tolerance);

/// Whether every choice of these sets is one that the graph leaves open, given those before it, and
/// a third of them moved between sets: then each step of the model was compared, however little an
/// output reacts.
bool are_steps_right(const TracedModel& model, const std::vector<const InputSet*>& sets,
                     const std::vector<Choices>& choices);

}  // namespace t2n
