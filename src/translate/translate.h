// SPDX-License-Identifier: Apache-2.0
// Translates the IR to an NNEF document, and reports every problem of the model in one run.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "src/diag/sink.h"
#include "src/nnef/ast.h"
#include "src/target/target.h"

namespace t2n::ops {

class Registry;

/// Translates a verified graph that check_accepted() accepts, without complex values (see the pass
/// `complex-to-pairs`), and with explicit promotions (`explicit-promotion`). Throws one Error that
/// lists all operators without translation (`unsupported-op`), or all refused arguments, with their
/// source locations.
nnef::Document translate(const ir::Graph& graph, const target::Target& target, const Report& report,
                         const Registry& table);

/// Parts of a graph that are not the model's (trace::Survey).
struct Substitutes {
  std::set<std::string> inputs;
  std::set<std::string> guessed;  ///< those whose shapes and dtypes mean nothing
  bool only_missing = false;      ///< look for operators without a translation only
};
/// What translate() throws for refused operators and arguments. Leaves out what may be due to
/// substitutes.
std::optional<Diagnostic> find_refusals(const ir::Graph& graph, const target::Target& target,
                                        const Registry& table, const Substitutes& substitutes);

/// The statements of a graph's nodes.
struct NodeStatements {
  nnef::Document document;  ///< without statements if there is a problem
  /// By statement; nullptr if it belongs to none. Those in bodies of loops belong to the loop.
  std::vector<const ir::Node*> nodes;
  std::set<const ir::Node*> refused;
  std::optional<Diagnostic> problem;  ///< what translate() would throw
};
/// The same as translate(), for readers of the graph, which must outlive the result.
NodeStatements translate_by_node(const ir::Graph& graph, const target::Target& target,
                                 const Registry& table);

/// One row of `t2nnef ops MODEL`.
struct OpUse {
  std::string op;
  int count = 0;
  int refused = 0;  ///< uses that translate() refuses
  Where first;      ///< the first refused use, if any
};
/// The operators of a graph that is ready for translate(), including those in bodies of loops.
std::vector<OpUse> list_ops(const ir::Graph& graph, const target::Target& target,
                            const Registry& table);

}  // namespace t2n::ops
