#include "ops/accepted.h"

#include <algorithm>
#include <utility>

#include "ops/emitter_state.h"
#include "ops/integer_range.h"
#include "src/diag/error.h"

namespace t2n::ops {
namespace {

void check_inputs(const ir::Graph& graph, const target::Target& target, Problems& problems) {
  for (const ir::ValueId id : graph.inputs) {
    const ir::Value& value = graph.values[static_cast<size_t>(id)];
    try {
      check_dtype(value.dtype, cat("input ", quoted(value.name)), target);
    } catch (const Error& error) {
      problems.add(error.diagnostic(), false);
    }
  }
}

/// The sizes of its tensors are numbers.
void check_static(const ir::Graph& graph, const target::Target& target) {
  if (target.engine != target::Engine::khronos) return;
  for (const ir::ValueId id : graph.inputs) {
    const ir::Value& value = graph.values[static_cast<size_t>(id)];
    if (!is_static(value.shape))
      throw Error(
          "unsupported-argument",
          cat("dynamic axes have no translation for ", target_name(target), ": ",
              quoted(value.name), " is ", ir::dtype_name(value.dtype), ir::shape_str(value.shape)),
          "the sizes of standard NNEF's tensors are numbers",
          "export without --dynamic, or for tract");
    if (std::find(value.shape.begin(), value.shape.end(), Dim(0)) != value.shape.end())
      throw Error(
          "unsupported-argument",
          cat("an input without elements has no translation for ", target_name(target), ": ",
              quoted(value.name), " is ", ir::dtype_name(value.dtype), ir::shape_str(value.shape)),
          "the sizes of NNEF's tensors are 1 or more", "give a larger sample");
  }
}

/// Strict NNEF computes integers as f32: what may leave its exact ones is said, what surely does is
/// refused.
void check_integers(const ir::Graph& graph, const target::Target& target, Problems& problems,
                    const Report& report) {
  if (target.engine != target::Engine::khronos) return;
  const auto found = find_inexact_integers(graph);
  if (!found) return;
  Diagnostic diagnostic = describe(graph, *found, written_name(*found->node), target_name(target));
  if (diagnostic.severity == Severity::error) {
    problems.refuse(*found->node);
    problems.add(std::move(diagnostic), false);
  } else if (report) {
    report(diagnostic);
  }
}

}  // namespace

std::string written_name(const ir::Node& node) {
  constexpr std::string_view kEnding = "functional";
  std::string name(ir::op_name(node.op));
  if (name.ends_with("_functional")) name.resize(name.size() - kEnding.size());
  return name;
}

void check_accepted(const ir::Graph& graph, const target::Target& target, Problems& problems,
                    const Report& report) {
  check_static(graph, target);
  check_inputs(graph, target, problems);
  check_integers(graph, target, problems, report);
}

}  // namespace t2n::ops
