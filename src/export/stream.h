// Models whose input comes in pieces (--stream): checks of the options, and of the result.
#pragma once

#include <string>
#include <vector>

#include "src/check/runner.h"
#include "src/export/check_model.h"
#include "src/target/target.h"

namespace t2n {

/// Errors: `usage` for a target without pulses, for a symbol that is not a declared axis, and for
/// several axes of one input.
void require_stream(const target::Target& target, const DynamicOptions& dynamic);

/// Properties of a document: the symbol, the number that pulses must be multiples of, and their
/// minimum length (default 1).
struct StreamProperties {
  std::string symbol;
  int64_t multiple = 1;
  int64_t least = 1;
};
StreamProperties stream_properties(const nnef::Document& document);

/// Runs a loaded artefact in pulses of several sizes, over inputs of several pulses, each time in a
/// fresh state, and compares the results, from the first entry on, with the model's for the whole
/// input. Rows of `result` become the worst of both. Errors: `engine-rejects` if the engine does
/// not support these pulses.
void check_in_pulses(TracedModel& model, const std::vector<std::string>& names,
                     const CheckOptions& options, check::Runner& runner, const Takes& takes,
                     const target::Stream& stream, const StreamProperties& properties,
                     CheckResult& result);

}  // namespace t2n
