// Models whose input comes in pieces (--stream): what may be asked for, and the check of what runs.
#pragma once

#include <string>
#include <vector>

#include "src/check/runner.h"
#include "src/export/check_model.h"
#include "src/target/target.h"

namespace t2n {

/// Errors: `usage` for a target without pulses, and for a symbol that is no declared axis, or
/// several axes of one input.
void require_stream(const target::Target& target, const DynamicOptions& dynamic);

/// What a document says of itself: the symbol, and of what pulses are multiples, and how long at
/// least (1 if it does not say).
struct StreamProperties {
  std::string symbol;
  int64_t multiple = 1;
  int64_t least = 1;
};
StreamProperties stream_properties(const nnef::Document& document);

/// Runs a loaded artefact in pulses of several sizes over inputs that are several pulses long, in a
/// fresh state each, and compares what comes, from the first entry on, with what the model gives
/// for the whole input. Rows of `result` become the worst of both.
/// Errors: `engine-rejects` where the engine has no such pulses.
void check_in_pulses(TracedModel& model, const std::vector<std::string>& names,
                     const CheckOptions& options, check::Runner& runner, const Takes& takes,
                     const target::Stream& stream, const StreamProperties& properties,
                     CheckResult& result);

}  // namespace t2n
