// Models with explicit states, call after call: what a call gives as a state, the next one takes.
#pragma once

#include <string>
#include <vector>

#include "src/check/runner.h"
#include "src/export/check_model.h"

namespace t2n {

/// Calls a loaded artefact several times on inputs of their own, with its own states fed back, and
/// compares each call with the model, which is fed its own. Where an open axis is one of inputs and
/// outputs and of no state, also pieces along it with what the model gives for all of them in one
/// call, if the model itself gives that in pieces. Rows of `result` become the worst of all.
/// Nothing for models without such states.
void check_calls(TracedModel& model, const std::vector<std::string>& names,
                 const CheckOptions& options, check::Runner& runner, const Takes& takes,
                 spec::Dialect dialect, CheckResult& result);

}  // namespace t2n
