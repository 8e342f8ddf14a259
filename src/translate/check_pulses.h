// What of a document for tract does not run in pulses, as an error that says where.
#pragma once

#include "ir/graph.h"
#include "nnef/ast.h"
#include "src/diag/sink.h"
#include "src/translate/emitter.h"

namespace t2n::ops {

/// For targets that stream; says in the document's properties along what it does, and of what
/// pulses are multiples. Errors: `not-streamable`, with all operators that are in the way.
void check_pulses(nnef::Document& document, const ir::Graph& graph, Emitter& out,
                  const target::Target& target);

/// For others: warns of states that begin anew in each run, along axes of any size.
void warn_of_resets(const nnef::Document& document, Emitter& out, const ir::Graph& graph,
                    const target::Target& target, const Report& report);

}  // namespace t2n::ops
