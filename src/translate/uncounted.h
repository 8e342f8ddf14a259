// Sizes that follow from values and that no operation of the document counts: the target cannot, or
// the operation that would was refused.
#pragma once

#include <optional>

#include "ir/graph.h"
#include "src/diag/diagnostic.h"
#include "src/translate/emitter.h"
#include "src/translate/registry.h"

namespace t2n::ops {

/// Whether any size of the graph follows from values.
bool has_unbacked_sizes(const ir::Graph& graph);
/// Whether the operation itself counts a size of its results.
bool counts_sizes(const ir::Graph& graph, const ir::Node& node);
/// Whether an operand or an argument has such a size: the problem is that of another operation.
bool uses_uncounted(const ir::Graph& graph, const ir::Node& node, Emitter& out);
/// The operation was refused: nothing counts the sizes that it would have counted.
void add_uncounted(const ir::Graph& graph, const ir::Node& node, Emitter& out);
/// The refusal of an operation that counts in an engine that cannot, with the version that can; for
/// operations without a refusal of their own.
std::optional<Diagnostic> refused_count(const ir::Graph& graph, const ir::Node& node,
                                        const target::Target& target, const Entry* entry);

}  // namespace t2n::ops
