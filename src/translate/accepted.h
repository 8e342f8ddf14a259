// What can be translated at all, whatever its operators are.
#pragma once

#include <string>

#include "src/diag/sink.h"
#include "src/translate/problems.h"

namespace t2n::ops {

/// Whether the target can express a graph as translate() takes it. Checked are the dtypes of its
/// inputs; for strict NNEF also their sizes, which must be numbers of 1 or more, and integers,
/// which f32 must hold; for tract also loops, which must allow more than one length. Integers that
/// may leave f32's range go to `report`. Errors: `unsupported-argument` for sizes of inputs. All
/// else is added to `problems`.
void check_accepted(const ir::Graph& graph, const target::Target& target, Problems& problems,
                    const Report& report);

}  // namespace t2n::ops
