// What may be translated at all, whatever its operators.
#pragma once

#include <string>

#include "src/diag/sink.h"
#include "src/translate/problems.h"

namespace t2n::ops {

/// Whether the target can hold a graph as translate() takes it: the dtypes of its inputs; for
/// strict NNEF their sizes, which are numbers of 1 or more, and integers that f32 holds; for tract
/// loops of more than one length. What may leave those integers goes to `report`. Errors:
/// `unsupported-argument` for sizes of inputs. All else is added to `problems`.
void check_accepted(const ir::Graph& graph, const target::Target& target, Problems& problems,
                    const Report& report);

}  // namespace t2n::ops
