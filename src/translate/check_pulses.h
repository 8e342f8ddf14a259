// Finds the parts of a tract document that do not run in pulses; the error names their places.
#pragma once

#include "ir/graph.h"
#include "nnef/ast.h"
#include "src/diag/sink.h"
#include "src/translate/emitter.h"

namespace t2n::ops {

/// For targets that stream. Stores in the document's properties the axis along which it streams,
/// and the number that pulses must be multiples of. Errors: `not-streamable`, with all operators in
/// the way.
void check_pulses(nnef::Document& document, const ir::Graph& graph, Emitter& out,
                  const target::Target& target);

/// For other targets: warns of states that start anew in each run, along axes of any size.
void warn_of_resets(const nnef::Document& document, Emitter& out, const ir::Graph& graph,
                    const target::Target& target, const Report& report);

}  // namespace t2n::ops
