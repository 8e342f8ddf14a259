// SPDX-License-Identifier: Apache-2.0
#include "src/translate/accepted.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "ir/readable.h"
#include "ir/scan.h"
#include "src/diag/error.h"
#include "src/translate/emitter_state.h"
#include "src/translate/integer_range.h"
#include "src/translate/undefined_sizes.h"

namespace t2n::ops {
namespace {

/// Checks that all sizes are numbers.
void check_static(const ir::Graph& graph, const target::Target& target) {
  if (target.engine != target::Engine::khronos) return;
  for (const ir::ValueId id : graph.inputs) {
    const ir::Value& value = graph.values[id];
    if (!is_static(value.shape))
      throw Error(
          "unsupported-argument",
          cat("dynamic axes have no translation for ", target_name(target), ": ",
              quoted(value.name), " is ", ir::dtype_name(value.dtype), ir::readable(value.shape)),
          "the sizes of standard NNEF's tensors are numbers",
          "export without --dynamic, or for tract");
    if (std::find(value.shape.begin(), value.shape.end(), Dim(0)) != value.shape.end())
      throw Error(
          "unsupported-argument",
          cat("an input without elements has no translation for ", target_name(target), ": ",
              quoted(value.name), " is ", ir::dtype_name(value.dtype), ir::readable(value.shape)),
          "the sizes of NNEF's tensors are 1 or more", "give a larger sample");
  }
}

/// Strict NNEF computes integers as f32. Integers that may exceed 2^24 are reported; those that
/// certainly do are refused.
void check_integers(const ir::Graph& graph, const target::Target& target,
                    const ir::OpTable& operators, Problems& problems, const Report& report) {
  // A data-dependent size is refused at the operation that defines it.
  if (target.engine != target::Engine::khronos || has_unbacked_sizes(graph)) return;
  const auto inexact = find_inexact_integers(graph, operators);
  if (!inexact) return;
  Diagnostic diagnostic =
      describe(graph, *inexact, written_name(*inexact->node), target_name(target));
  if (diagnostic.severity == Severity::error) {
    problems.refuse(*inexact->node);
    problems.add(std::move(diagnostic), false);
  } else if (report) {
    report(diagnostic);
  }
}

/// The only size that the assertions allow for a symbol, if there is just one.
std::optional<int64_t> only_size(const ir::Symbol& symbol,
                                 const std::vector<ir::Comparison>& relations) {
  int64_t least = 0, most = std::numeric_limits<int64_t>::max();
  for (const ir::Comparison& r : relations) {
    const bool is_left = r.left == Dim::symbol(symbol) && r.right.is_constant();
    if (!is_left && !(r.right == Dim::symbol(symbol) && r.left.is_constant())) continue;
    const ir::Relation relation = is_left ? r.relation : mirrored(r.relation);
    const int64_t bound = (is_left ? r.right : r.left).value();
    if (relation == ir::Relation::eq || relation == ir::Relation::ge)
      least = std::max(least, bound);
    if (relation == ir::Relation::gt) least = std::max(least, bound + 1);
    if (relation == ir::Relation::eq || relation == ir::Relation::le) most = std::min(most, bound);
    if (relation == ir::Relation::lt) most = std::min(most, bound - 1);
  }
  return least == most ? std::optional(least) : std::nullopt;
}

/// tract fails on a loop whose length an assertion fixes.
void check_loops(const ir::Graph& graph, const std::vector<ir::Comparison>& relations,
                 Problems& problems) {
  for (const ir::Node& node : graph.nodes) {
    if (!ir::is_scan(node)) continue;
    for (const ir::Symbol& symbol : ir::read_scan(node).length.symbols())
      if (const auto size = only_size(symbol, relations))
        problems.add(
            {.id = "unsupported-argument",
             .message =
                 cat("a loop of dynamic length would be valid only for ", symbol, " == ", *size),
             .where = {ir::node_where(graph, node)},
             .details = {},
             .why = "the engine cannot read loops whose length an assertion fixes",
             .help = "leave out --dynamic for this axis, or remove what fixes its size (-v "
                     "names the line)"},
            false);
    check_loops(*node.body, relations, problems);
  }
}

}  // namespace

void check_inputs(const ir::Graph& graph, const target::Target& target, Problems& problems) {
  for (const ir::ValueId id : graph.inputs) {
    const ir::Value& value = graph.values[id];
    try {
      check_dtype(value.dtype, cat("input ", quoted(value.name)), target);
    } catch (const Error& error) {
      problems.add(error.diagnostic(), false);
    }
  }
}

void check_accepted(const ir::Graph& graph, const target::Target& target,
                    const ir::OpTable& operators, Problems& problems, const Report& report) {
  check_static(graph, target);
  check_inputs(graph, target, problems);
  check_integers(graph, target, operators, problems, report);
  check_loops(graph, ir::relations(graph), problems);
}

}  // namespace t2n::ops
