// SPDX-License-Identifier: Apache-2.0
// Finds the parts of a tract document that do not run in pulses; the error names their source
// locations.
#pragma once

#include "ir/graph.h"
#include "src/diag/sink.h"
#include "src/nnef/ast.h"
#include "src/translate/emitter.h"

namespace t2n::ops {

/// For targets that stream. Stores in the document's properties the streamed axis and the number
/// that pulses must be multiples of. Errors: `not-streamable`, with all operators that prevent
/// streaming.
void check_pulses(nnef::Document& document, const ir::Graph& graph, Emitter& out,
                  const target::Target& target);

/// For other targets: warns of states that are reset in each run, along dynamic axes.
void warn_of_resets(const nnef::Document& document, Emitter& out, const ir::Graph& graph,
                    const target::Target& target, const Report& report);

}  // namespace t2n::ops
