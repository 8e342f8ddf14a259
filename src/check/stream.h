// Streaming models, whose input comes in pulses (--stream): checks the options and the result.
#pragma once

#include <string>
#include <vector>

#include "src/check/check_model.h"
#include "src/check/runner.h"
#include "src/target/target.h"

namespace t2n {

/// Errors: `usage` for a target without pulses, for a symbol that is not a declared axis, and for
/// several axes of one input.
void require_stream(const target::Target& target, const DynamicOptions& dynamic);

/// Properties of a document: the symbol, the divisor of valid pulse lengths, and their minimum
/// (default 1).
struct StreamProperties {
  std::string symbol;
  int64_t multiple = 1;
  int64_t least = 1;
};
StreamProperties stream_properties(const nnef::Document& document);

/// Runs a loaded artefact in pulses of several sizes, over inputs of several pulses, each time in a
/// fresh state. Compares the results, starting at the first entry, with the model's results for the
/// full input. Rows of `result` keep the worst comparison. Errors: `engine-rejects` if the engine
/// does not support these pulses.
void check_in_pulses(TracedModel& model, const std::vector<std::string>& names,
                     const CheckOptions& options, check::Runner& runner,
                     const ArtefactInputs& artefact_inputs, const target::Stream& stream,
                     const StreamProperties& properties, CheckResult& result);

}  // namespace t2n
