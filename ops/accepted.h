// What may be translated at all, whatever its operators.
#pragma once

#include <string>

#include "ops/problems.h"
#include "src/diag/sink.h"

namespace t2n::ops {

/// "aten::normal_" for "aten::normal_functional", which stands for it in the graph only.
std::string written_name(const ir::Node& node);

/// translate() takes a verified graph without complex values (the pass `complex-to-pairs`), whose
/// promotions are casts (`explicit-promotion`), and of which the target can hold the inputs: their
/// dtypes; for strict NNEF their sizes, which are numbers of 1 or more, and integers that f32
/// holds. What may leave those integers goes to `report`. Errors: `unsupported-argument` for sizes
/// of inputs. All else is added to `problems`.
void check_accepted(const ir::Graph& graph, const target::Target& target, Problems& problems,
                    const Report& report);

}  // namespace t2n::ops
