// SPDX-License-Identifier: Apache-2.0
// Undefined sizes: data-dependent sizes that no operation of the document defines, because the
// target cannot, or because the operation was refused.
#pragma once

#include <optional>

#include "ir/graph.h"
#include "src/diag/diagnostic.h"
#include "src/translate/emitter.h"
#include "src/translate/registry.h"

namespace t2n::ops {

/// Whether any size of the graph is data-dependent.
bool has_unbacked_sizes(const ir::Graph& graph);
/// Whether the operation defines a size of its results.
bool defines_sizes(const ir::Graph& graph, const ir::Node& node);
/// Whether an operand or an argument has an undefined size: the cause is another operation.
bool uses_undefined_sizes(const ir::Graph& graph, const ir::Node& node, Emitter& out);
/// Marks the sizes that a refused operation would have defined as undefined.
void add_undefined_sizes(const ir::Graph& graph, const ir::Node& node, Emitter& out);
/// The refusal of an operation that defines a size if the target does not support that, with the
/// version that does; for operations without a refusal of their own.
std::optional<Diagnostic> refused_definition(const ir::Graph& graph, const ir::Node& node,
                                             const target::Target& target, const Entry* entry);

}  // namespace t2n::ops
